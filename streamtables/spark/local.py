"""Plans so plain that the driver answers them: columns of leaves that are here, and counts compared and added up.

Each saves a Spark job; anything else is Spark's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from streamtables.plan import nodes as n
from streamtables.plan.expr import col, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr

_COMPUTED: dict[str, Callable[..., Any]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "neg": pc.negate_checked,
    "least": pc.min_element_wise,
    "greatest": pc.max_element_wise,
}
_COMPARED: dict[str, Callable[..., Any]] = {
    ">": pc.greater,
    "<": pc.less,
    "=": pc.equal,
    "<>": pc.not_equal,
}


def answer(plan: n.Node, leaf: Callable[[n.Changed | n.Step], pa.Table | None]) -> pa.Table | None:
    """The answer of a plan, or None where it is not for the driver; `leaf` gives leaves that are here."""
    if isinstance(plan, (n.Changed, n.Step)):
        found = leaf(plan)
        return None if found is None else found.rename_columns(list(plan.columns))
    if isinstance(plan, n.Project):
        return _projected(plan, answer(plan.child, leaf))
    if isinstance(plan, n.Filter):
        return _filtered(plan, answer(plan.child, leaf))
    if isinstance(plan, n.UnionAll):
        parts = [answer(child, leaf) for child in plan.inputs]
        return _together(parts, plan.columns)
    if isinstance(plan, n.Aggregate) and plan.keys:
        return _grouped(plan, answer(plan.child, leaf))
    return None


def _filtered(plan: n.Filter, child: pa.Table | None) -> pa.Table | None:
    """Rows for which a comparison of whole numbers is true."""
    found = None if child is None else _tried(lambda: _truth(plan.condition, child))
    return None if child is None or found is None else child.filter(found)


def _projected(plan: n.Project, child: pa.Table | None) -> pa.Table | None:
    if child is None:
        return None
    columns = [_column(item.expr, child) for item in plan.items]
    if any(column is None for column in columns):
        return None
    return pa.table(columns, names=list(plan.columns))


def _column(expr: Expr, rows: pa.Table) -> Any:
    """A column of the rows, or what is computed of counts."""
    if expr.column is not None:
        return rows.column(expr.column)
    return _tried(lambda: _number(expr, rows))


def _tried(compute: Callable[[], Any]) -> Any:
    """What is computed; None where a number grows too large: that is Spark's to tell of."""
    try:
        return compute()
    except pa.ArrowInvalid:
        return None


def _number(expr: Expr, rows: pa.Table) -> Any:
    """A BIGINT of each row: NULL goes through as in SQL, and LEAST and GREATEST pass over it."""
    if expr.column is not None:
        column = rows.column(expr.column)
        return column if pa.types.is_int64(column.type) else None
    if expr.whole is not None:
        return pa.repeat(pa.scalar(expr.whole, pa.int64()), rows.num_rows)
    sign, parts = expr.operation() or ("", ())
    if sign == "if":
        condition = _truth(parts[0], rows)
        ways = [_number(part, rows) for part in parts[1:]]
        if condition is None or any(way is None for way in ways):
            return None
        return pc.if_else(pc.fill_null(condition, fill_value=False), *ways)
    numbers = [_number(part, rows) for part in parts]
    if sign not in _COMPUTED or any(number is None for number in numbers):
        return None
    return _COMPUTED[sign](*numbers)


def _truth(expr: Expr, rows: pa.Table) -> Any:
    """Whether a comparison of whole numbers is true of each row."""
    sign, parts = expr.operation() or ("", ())
    sides = [_side(part, rows) for part in parts]
    if sign not in _COMPARED or any(side is None for side in sides):
        return None
    return _COMPARED[sign](*sides)


def _side(expr: Expr, rows: pa.Table) -> Any:
    """A side of a comparison: also a constant as it is written, and a column of a smaller type."""
    if isinstance(expr.constant, int):
        return pa.repeat(pa.scalar(expr.constant, pa.int64()), rows.num_rows)
    if expr.column is not None and pa.types.is_integer(rows.schema.field(expr.column).type):
        return rows.column(expr.column)
    return _number(expr, rows)


def _together(parts: list[pa.Table | None], columns: tuple[str, ...]) -> pa.Table | None:
    """Only tables of one schema: Spark has rules of its own for meeting types."""
    tables = [part.rename_columns(list(columns)) for part in parts if part is not None]
    if len(tables) < len(parts) or any(t.schema != tables[0].schema for t in tables):
        return None
    return pa.concat_tables(tables)


def _grouped(plan: n.Aggregate, child: pa.Table | None) -> pa.Table | None:
    """Different keys with sums of BIGINT, of types whose equality Arrow and Spark agree on: not floating or nested."""
    if child is None or not is_plain(child.select(list(plan.keys))):
        return None
    names = [_summed(item.expr) for item in plan.items]
    if not all(name is not None and _adds_up(child.column(name)) for name in names):
        return None
    groups = child.group_by(list(plan.keys)).aggregate([(name, "sum") for name in {*names}])
    columns = [*plan.keys, *(f"{name}_sum" for name in names)]
    return pa.table([groups.column(name) for name in columns], names=list(plan.columns))


def _summed(expr: Expr) -> str | None:
    """The column where an aggregate is nothing but its sum."""
    names = expr.column_uses()
    return names[0] if len(names) == 1 and expr == total(col(names[0])) else None


def _adds_up(column: pa.ChunkedArray) -> bool:
    """Whether a column is BIGINT and no sum of its values is too large for that."""
    if not pa.types.is_int64(column.type):
        return False
    ends = pc.min_max(column).as_py()
    largest: int = max(abs(ends["min"] or 0), abs(ends["max"] or 0))
    return largest * len(column) < 2**63


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
