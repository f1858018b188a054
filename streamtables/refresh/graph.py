"""Stream tables over stream tables: who reads whom, and in which order to refresh."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from streamtables.errors import CycleFound
from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from streamtables.model import StreamTable


def in_order(tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables, each after those it reads; a cycle is refused by its names."""
    by_key = {table.name.key: table for table in tables}
    order = in_order_of({key: reads(table) & by_key.keys() for key, table in by_key.items()})
    return [by_key[key] for key in order]


def in_order_of(edges: Mapping[str, set[str]]) -> list[str]:
    """Names, each after those it reads; a cycle is refused."""
    try:
        return list(TopologicalSorter(dict(sorted(edges.items()))).static_order())
    except CycleError as error:
        names = " reads ".join(str(TableName.parse(key)) for key in reversed(error.args[1]))
        raise CycleFound(
            f"Stream tables would read themselves: {names}",
            hint="Take one of these tables out of the query.",
        ) from None


def upstream(table: StreamTable, tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables that a table reads, directly or not, in the order to refresh them, and last itself."""
    by_key = {other.name.key: other for other in tables} | {table.name.key: table}
    links = {key: reads(other) & by_key.keys() for key, other in by_key.items()}
    return in_order([by_key[key] for key in reachable({table.name.key}, links)])


def downstream(table: StreamTable, tables: Sequence[StreamTable]) -> list[StreamTable]:
    """The tables that read a table, directly or not, in the order to refresh them; without itself."""
    found = {table.name.key}
    after = []
    for other in in_order(tables):
        if reads(other) & found:
            found.add(other.name.key)
            after.append(other)
    return after


def reachable(keys: Set[str], links: Mapping[str, Set[str]]) -> set[str]:
    """What can be reached from some keys over links, themselves included."""
    found, waiting = set(keys), list(keys)
    while waiting:
        new = links[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def reads(table: StreamTable) -> set[str]:
    """The keys of what a table reads."""
    return {source.name.key for source in table.sources}
