"""What Spark lets one leave out of FROM, written out by edits of the text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.model import TableName
from streamtables.sql.dotted import words
from streamtables.sql.scope import tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Span = tuple[int, int]


def edited(text: str, edits: Mapping[Span, str]) -> str:
    """The text with pieces of it replaced."""
    pieces, position = [], 0
    for (start, end), piece in sorted(edits.items()):
        pieces += [text[position:start], piece]
        position = end
    return "".join([*pieces, text[position:]])


def span(parts: Sequence[exp.Expr]) -> Span:
    """Where the parts of a name stand in the text."""
    return parts[0].meta["start"], parts[-1].meta["end"] + 1


def spelled_out(tree: exp.Query) -> dict[Span, str]:
    """The edits that a query's text needs.

    FROM a.t JOIN b.t ON a.t.k = b.t.k    FROM a.t AS a_t JOIN b.t AS b_t ON a_t.k = b_t.k
    FROM (l JOIN r USING (k)) AS j        FROM (SELECT * FROM l JOIN r USING (k)) AS j
    """
    edits = dict(_selects_of_joins(tree))
    for select in tree.find_all(exp.Select):
        for table in _twins(select):
            edits |= _apart(select, table)
    return edits


def _selects_of_joins(tree: exp.Query) -> Iterator[tuple[Span, str]]:
    for item in tree.find_all(exp.Subquery):
        if item.alias and isinstance(item.this, exp.Table) and item.this.args.get("joins"):
            start, _ = span(item.this.parts)
            yield (start, start), "SELECT * FROM "


def _twins(select: exp.Select) -> list[exp.Table]:
    """The tables of a FROM that are called alike, and are others by their schemas."""
    items = tables_of(select)
    tables = [item for item in items if isinstance(item, exp.Table) and not item.alias]
    called = Counter(written[-1] for written in {words(table.parts) for table in tables})
    return [table for table in tables if called[table.name.lower()] > 1 and table.db]


def _apart(select: exp.Select, table: exp.Table) -> dict[Span, str]:
    """A table given an alias, and its columns named by that."""
    written = words(table.parts)
    alias = TableName(("_".join(part.name for part in table.parts),)).quoted
    edits = {(span(table.parts)[1],) * 2: f" AS {alias}"}
    for column in select.find_all(exp.Column):
        count = len(written)
        if len(column.parts) > count and words(column.parts[:count]) == written:
            edits[span(column.parts[:count])] = alias
    return edits
