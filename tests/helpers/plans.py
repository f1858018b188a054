"""Plans and deltas of queries over two small tables, for tests on trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.model import Column, Source, SourceKind, TableName
from streamtables.plan.show import show_delta
from streamtables.rules.derive import derive
from streamtables.sql.compile import Compiled, compile_query
from streamtables.sql.query import Query

if TYPE_CHECKING:
    from streamtables.plan import nodes as n
    from streamtables.plan.delta import Delta

COLUMNS = {"l": (("id", "int"), ("k", "int")), "r": (("k", "int"), ("n", "string"))}


def source(table: str) -> Source:
    """One of the tables `l(id, k)` and `r(k, n)`."""
    columns = tuple(Column(name, kind) for name, kind in COLUMNS[table])
    return Source(TableName((table,)), SourceKind.DELTA, columns)


def compiled(query: str) -> Compiled:
    """The compiled query."""
    return compile_query(query, tuple(source(name.parts[-1]) for name in Query.parse(query).names))


def plan(query: str) -> n.Node:
    """The plan of a query that has one."""
    found = compiled(query)
    assert found.plan is not None, found.refusal
    return found.plan


def delta(query: str, *touched: str) -> Delta | None:
    """The delta of a query when some of the tables changed."""
    tree = plan(query)
    return derive(tree, frozenset(source(name).name.key for name in touched), tree.columns)


def shown(query: str, *touched: str) -> str:
    """The delta of a query as text."""
    found = delta(query, *touched)
    return show_delta(found) if found else "nothing"
