"""Plans so plain that the driver answers them: columns of leaves that are here, renamed, made distinct, turned in sign.

Each saves a Spark job; anything else is Spark's.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from streamtables.plan import nodes as n
from streamtables.plan.expr import col, is_above_zero, lit, negated, plus

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr


def answer(plan: n.Node, leaf: Callable[[n.Changed | n.Step], pa.Table | None]) -> pa.Table | None:
    """The answer of a plan, or None where it is not for the driver; `leaf` gives leaves that are here."""
    if isinstance(plan, (n.Changed, n.Step)):
        found = leaf(plan)
        return None if found is None else found.rename_columns(list(plan.columns))
    if isinstance(plan, n.Project):
        return _projected(plan, answer(plan.child, leaf))
    if isinstance(plan, n.Filter):
        return _above_zero(plan, answer(plan.child, leaf))
    if isinstance(plan, n.UnionAll):
        parts = [answer(child, leaf) for child in plan.inputs]
        return _together(parts, plan.columns)
    if isinstance(plan, n.Aggregate) and not plan.items and plan.keys:
        return _distinct(plan.keys, answer(plan.child, leaf))
    return None


def _above_zero(plan: n.Filter, child: pa.Table | None) -> pa.Table | None:
    """Rows whose count, or whose counts together, are above zero."""
    names = plan.condition.column_uses()
    if child is None or not names:
        return None
    is_counted = all(pa.types.is_integer(child.schema.field(name).type) for name in names)
    if not is_counted or plan.condition != is_above_zero(reduce(plus, map(col, names))):
        return None
    return child.filter(reduce(add, map(pc.field, names)) > 0)


def _projected(plan: n.Project, child: pa.Table | None) -> pa.Table | None:
    if child is None:
        return None
    columns = [_column(item.expr, child) for item in plan.items]
    if any(column is None for column in columns):
        return None
    return pa.table(columns, names=list(plan.columns))


def _column(expr: Expr, rows: pa.Table) -> pa.ChunkedArray | pa.Array | None:
    """A column of the rows, or a weight: 1, -1, or one with its sign turned."""
    if expr.column is not None:
        return rows.column(expr.column)
    if expr == negated(col(n.WEIGHT)):
        return pc.negate(rows.column(n.WEIGHT))
    sign = {lit(1): 1, negated(lit(1)): -1}.get(expr)
    return None if sign is None else pa.repeat(pa.scalar(sign, pa.int64()), rows.num_rows)


def _together(parts: list[pa.Table | None], columns: tuple[str, ...]) -> pa.Table | None:
    """Only tables of one schema: Spark has rules of its own for meeting types."""
    tables = [part.rename_columns(list(columns)) for part in parts if part is not None]
    if len(tables) < len(parts) or any(t.schema != tables[0].schema for t in tables):
        return None
    return pa.concat_tables(tables)


def _distinct(keys: tuple[str, ...], child: pa.Table | None) -> pa.Table | None:
    """Types whose equality Arrow and Spark agree on: floating point and nested ones are not."""
    if child is None:
        return None
    wanted = child.select(list(keys))
    if not is_plain(wanted):
        return None
    return wanted.group_by(list(keys)).aggregate([]).select(list(keys))


def is_plain(rows: pa.Table) -> bool:
    """Whether Arrow and Spark agree on which of these rows are equal."""
    return all(map(_is_plain, rows.schema.types))


def _is_plain(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_boolean,
        pa.types.is_string,
        pa.types.is_date,
        pa.types.is_timestamp,
        pa.types.is_decimal,
    )
    return any(test(kind) for test in tests)
