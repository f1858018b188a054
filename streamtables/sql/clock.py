"""The moment of a refresh as a source of one row: what a query says of now changes as any other source does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.model import Column
from streamtables.sql import functions
from streamtables.sql.refuse import calls
from streamtables.sql.scope import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = (
    Column("current_timestamp", "timestamp"),
    Column("current_date", "date"),
    Column("localtimestamp", "timestamp_ntz"),
)
_FIELDS = {
    "now": "current_timestamp",
    "current_timestamp": "current_timestamp",
    "current_date": "current_date",
    "curdate": "current_date",
    "localtimestamp": "localtimestamp",
}


def with_moments(tree: exp.Query) -> exp.Query:
    """The query with each call that reads the clock as a column of the clock."""
    tree = tree.copy()
    for name, call in list(calls(tree)):
        if name in _FIELDS and not call.expressions:
            call.replace(_column(_FIELDS[name]))
        elif name in functions.CLOCK_WITHOUT_ARGUMENTS and not call.expressions:
            call.set("expressions", [_column("current_timestamp")])
    return tree


def asks_now(tree: exp.Expr) -> bool:
    """Whether an expression reads the clock, its subqueries apart."""
    return any(column.table == NOW for column in _columns(tree))


def _columns(tree: exp.Expr) -> Iterator[exp.Column]:
    if isinstance(tree, exp.Column):
        yield tree
    elif not isinstance(tree, exp.Query):
        for part in tree.iter_expressions():
            yield from _columns(part)


def _column(field: str) -> exp.Column:
    return exp.column(field, table=NOW, quoted=True)
