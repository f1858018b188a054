"""A query as text whose tables can be exchanged without touching anything else.

The full query is the oracle of everything, so it is never re-rendered: its tables are replaced in the analyst's own
text, by position, and the rest stays as written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from streamtables.errors import UnsupportedQuery
from streamtables.model import TableName
from streamtables.sql.dotted import Tables
from streamtables.sql.parse import parse_query, place, with_selects
from streamtables.sql.pipes import without_pipes
from streamtables.sql.spelled_out import edited, span, spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamtables.errors import Place
    from streamtables.sql.spelled_out import Span


@dataclass(frozen=True, slots=True)
class Query:
    """The analyst's text, its tree, and the tables it reads."""

    text: str
    tree: exp.Query
    tables: tuple[exp.Table, ...]

    @classmethod
    def parse(cls, text: str) -> Query:
        """Read one query.

        >>> [str(name) for name in Query.parse("SELECT * FROM a.b JOIN c USING (k)").names]
        ['a.b', 'c']
        """
        text = with_selects(without_pipes(text))
        tree = parse_query(text)
        if edits := spelled_out(tree):
            text = edited(text, edits)
            tree = parse_query(text)
        tables = tuple(sorted(_tables(tree), key=lambda table: span(table.parts)))
        for table in tables:
            _refuse_decorations(table)
        return cls(text, tree, tables)

    @property
    def names(self) -> tuple[TableName, ...]:
        """The tables it reads, each once, in the order of the text."""
        return tuple(dict.fromkeys(name_of(table) for table in self.tables))

    def place_of(self, name: TableName) -> Place | None:
        """Where a table is first read."""
        found = next((table for table in self.tables if name_of(table) == name), None)
        return place(found) if found is not None else None

    @property
    def called(self) -> Tables:
        """What its tables are called in dotted names."""
        return Tables(self.tree, self.tables)

    def reading(self, replacements: Mapping[str, str]) -> str:
        """The text with each table (by `TableName.key`) replaced by an identifier, aliases kept."""
        quoted = {key: TableName((word,)).quoted for key, word in replacements.items()}
        return self._edited(quoted)

    def inlining(self, relations: Mapping[str, str]) -> str:
        """The text with tables (by `TableName.key`) replaced by SQL, such as a query in parentheses."""
        return self._edited(relations)

    def _edited(self, relations: Mapping[str, str]) -> str:
        return edited(self.text, dict(self._edits(relations))).rstrip().rstrip(";")

    def _edits(self, relations: Mapping[str, str]) -> Iterator[tuple[Span, str]]:
        for table in self.tables:
            if name_of(table).key in relations:
                alias = "" if table.alias else f" AS {TableName((table.name,)).quoted}"
                yield span(table.parts), relations[name_of(table).key] + alias
        tables = self.called
        for column in self.tree.find_all(exp.Column):
            if (count := tables.parts_of_table(column)) > 1:
                parts = column.parts[:count]
                yield span(parts), TableName((parts[-1].name,)).quoted


def name_of(table: exp.Table) -> TableName:
    """The name of a table in a tree."""
    return TableName(tuple(part.name for part in table.parts))


def _tables(tree: exp.Query) -> Iterator[exp.Table]:
    seen: set[int] = set()
    for scope in traverse_scope(tree):
        ctes = {name.lower() for name in scope.cte_sources}
        for table in scope.tables:
            is_cte = not table.args.get("db") and table.name.lower() in ctes
            if not is_cte and id(table) not in seen and isinstance(table.this, exp.Identifier):
                seen.add(id(table))
                yield table


def _refuse_decorations(table: exp.Table) -> None:
    if table.args.get("sample"):
        raise UnsupportedQuery(
            "NON_DETERMINISTIC",
            f"TABLESAMPLE of {table.name} gives other rows each time",
            place=place(table),
            hint="Filter on a hash of a column instead.",
        )
    if table.args.get("version") or table.args.get("when"):
        raise UnsupportedQuery(
            "PINNED_SOURCE",
            f"{table.name} is read at a fixed version, which never changes",
            place=place(table),
            hint="Read the table itself.",
        )
