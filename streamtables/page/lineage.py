"""Who reads whom, and from which columns each column of a stream table comes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from streamtables.catalog.base import unknown
from streamtables.errors import StreamTablesError
from streamtables.plan.lineage import origins
from streamtables.plan.mermaid import flowchart
from streamtables.sql.compile import compile_query, with_views_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamtables.model import Source, StreamTable, View
    from streamtables.plan.lineage import Field


@dataclass(frozen=True)
class Lineage:
    """A graph of tables: their names, which are stream tables, and what is read from what."""

    tables: tuple[str, ...]
    streams: frozenset[str]
    reads: tuple[tuple[str, str], ...]
    """Pairs of a table and one that reads it."""
    columns: Mapping[str, Mapping[str, tuple[tuple[str, str], ...]] | None]
    """For each stream table and column the (table, column) it comes from; None where its query has no plan to tell."""

    def __str__(self) -> str:
        lines = []
        for table in (name for name in self.tables if name in self.streams):
            sources = [source for source, reader in self.reads if reader == table]
            lines.append(f"{table} reads {', '.join(sources) or 'no table'}")
            for column, fields in (self.columns[table] or {}).items():
                lines.append(f"  {column} <- {_listed(fields)}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """The graph as JSON has it."""
        columns: dict[str, object] = {}
        for table, found in self.columns.items():
            columns[table] = found and {
                column: [{"table": source, "column": field} for source, field in fields]
                for column, fields in found.items()
            }
        names = [{"name": name, "is_stream_table": name in self.streams} for name in self.tables]
        reads = [{"from": source, "to": reader} for source, reader in self.reads]
        return {"tables": names, "reads": reads, "columns": columns}

    def mermaid(self) -> str:
        """The graph as Mermaid text."""
        ids = {name: f"t{number}" for number, name in enumerate(self.tables)}
        return flowchart(
            {ids[name]: name for name in self.tables},
            [(ids[source], ids[reader]) for source, reader in self.reads],
            direction="LR",
            drums=[ids[name] for name in self.tables if name not in self.streams],
        )

    def _repr_html_(self) -> str:
        from streamtables.page.graph import graph

        return graph(self)


def lineage(tables: Sequence[StreamTable], name: str | None = None) -> Lineage:
    """The lineage of all stream tables; with a name, of that table, what it comes from and what comes from it."""
    shown = {table.name.key: str(table.name) for table in tables}
    for table in tables:
        for source in table.sources:
            shown.setdefault(source.name.key, str(source.name))
    reads = [
        (shown[source.name.key], shown[table.name.key])
        for table in tables
        for source in table.sources
    ]
    streams = {str(table.name): table for table in tables}
    wanted = set(shown.values())
    if name is not None:
        if name not in streams:
            raise unknown(name, sorted(streams))
        wanted = _reached(name, reads) | _reached(name, [(b, a) for a, b in reads])
    return Lineage(
        tables=tuple(sorted(wanted)),
        streams=frozenset(streams.keys() & wanted),
        reads=tuple(dict.fromkeys(pair for pair in reads if wanted.issuperset(pair))),
        columns={key: _columns(table, shown) for key, table in streams.items() if key in wanted},
    )


def _columns(
    table: StreamTable, shown: Mapping[str, str]
) -> dict[str, tuple[tuple[str, str], ...]] | None:
    found = _behind(table.query, table.views, table.sources)
    if found is None:
        return None
    return {
        column.name: tuple(sorted((shown.get(key, key), field) for key, field in fields))
        for column, fields in zip(table.columns, found, strict=True)
    }


@lru_cache(maxsize=4096)
def _behind(
    query: str, views: tuple[View, ...], sources: tuple[Source, ...]
) -> tuple[frozenset[Field], ...] | None:
    """The fields behind each column; kept, since a page is looked at again and again."""
    try:
        plan = compile_query(with_views_inside(query, views), sources).plan
    except StreamTablesError:  # of a registry that an older version wrote
        return None
    if plan is None:
        return None
    found = origins(plan)
    return tuple(found[name] for name in plan.columns)


def _reached(start: str, arrows: Iterable[tuple[str, str]]) -> set[str]:
    found, pairs = {start}, list(arrows)
    while more := {end for begin, end in pairs if begin in found} - found:
        found |= more
    return found


def _listed(fields: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{table}.{column}" for table, column in fields) or "no column"
