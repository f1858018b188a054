"""Stream tables over stream tables: who reads whom, and in which order to refresh."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from streamtables.errors import CycleFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import StreamTable


def in_order(tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables, each after those it reads; a cycle is refused by its names."""
    by_key = {table.name.key: table for table in tables}
    reads = {key: _reads(table) & by_key.keys() for key, table in sorted(by_key.items())}
    try:
        order = list(TopologicalSorter(reads).static_order())
    except CycleError as error:
        names = " reads ".join(str(by_key[key].name) for key in reversed(error.args[1]))
        raise CycleFound(
            f"Stream tables would read themselves: {names}",
            hint="Take one of these tables out of the query.",
        ) from None
    return [by_key[key] for key in order]


def upstream(table: StreamTable, tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables that a table reads, directly or not, in the order to refresh them, and last itself."""
    by_key = {other.name.key: other for other in tables} | {table.name.key: table}
    found, waiting = {table.name.key}, [table]
    while waiting:
        new = (_reads(waiting.pop()) & by_key.keys()) - found
        found |= new
        waiting += [by_key[key] for key in new]
    return in_order([by_key[key] for key in found])


def readers(table: StreamTable, tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables that read a table directly."""
    return [other for other in tables if table.name.key in _reads(other)]


def _reads(table: StreamTable) -> set[str]:
    return {source.name.key for source in table.sources}
