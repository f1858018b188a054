"""Plans so plain that the driver answers them: columns of leaves that are here, and numbers compared and added up.

Each saves a Spark job; anything else is Spark's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from streamtables.plan import nodes as n
from streamtables.spark.arithmetic import number, sum_type, tried, truth

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
        return _filtered(plan, answer(plan.child, leaf))
    if isinstance(plan, n.UnionAll):
        parts = [answer(child, leaf) for child in plan.inputs]
        return _together(parts, plan.columns)
    if isinstance(plan, n.Aggregate) and plan.keys:
        return _grouped(plan, answer(plan.child, leaf))
    return None


def _filtered(plan: n.Filter, child: pa.Table | None) -> pa.Table | None:
    """Rows for which a comparison of whole numbers is true."""
    if child is None:
        return None
    found = tried(lambda: truth(plan.condition, child))
    return None if found is None else child.filter(found)


def _projected(plan: n.Project, child: pa.Table | None) -> pa.Table | None:
    if child is None:
        return None
    columns = [_column(item.expr, child) for item in plan.items]
    if any(column is None for column in columns):
        return None
    return pa.table(columns, names=list(plan.columns))


def _column(expr: Expr, rows: pa.Table) -> Any:
    """A column of the rows, or what is computed of numbers."""
    return (
        rows.column(expr.column) if expr.column is not None else tried(lambda: number(expr, rows))
    )


def _together(parts: list[pa.Table | None], columns: tuple[str, ...]) -> pa.Table | None:
    """Only tables whose types Spark would leave as they are, or make wider in a way that is known here."""
    tables = [part.rename_columns(list(columns)) for part in parts if part is not None]
    if len(tables) < len(parts) or (alike := of_one_type(tables)) is None:
        return None
    return pa.concat_tables(alike)


def of_one_type(tables: list[pa.Table]) -> list[pa.Table] | None:
    """Tables with the same columns, of DECIMALs of one scale the widest; None where types differ otherwise."""
    kinds = [
        _widest({table.schema.types[i] for table in tables}) for i in range(tables[0].num_columns)
    ]
    if any(kind is None for kind in kinds):
        return None
    return [
        pa.table(
            [column.cast(kind) for column, kind in zip(table.columns, kinds, strict=True)],
            names=table.column_names,
        )
        for table in tables
    ]


def _widest(kinds: set[pa.DataType]) -> pa.DataType | None:
    """The type of all, or the widest of DECIMALs of one scale."""
    if len(kinds) == 1:
        return next(iter(kinds))
    if not all(map(pa.types.is_decimal128, kinds)) or len({kind.scale for kind in kinds}) > 1:
        return None
    return max(kinds, key=lambda kind: kind.precision)


def _grouped(plan: n.Aggregate, child: pa.Table | None) -> pa.Table | None:
    """Different keys with sums of numbers, of types whose equality Arrow and Spark agree on: not floating or nested."""
    if child is None or not is_plain(child.select(list(plan.keys))):
        return None
    added = [(item.name, _added(item.expr, child)) for item in plan.items]
    columns = {name: column for name, column in added if column is not None}
    kinds = [sum_type(column) for column in columns.values()]
    if len(columns) < len(added) or any(kind is None for kind in kinds):
        return None
    keyed = pa.table(
        [*(child.column(key) for key in plan.keys), *columns.values()], names=list(plan.columns)
    )
    groups = keyed.group_by(list(plan.keys)).aggregate([(name, "sum") for name in columns])
    sums = [
        groups.column(f"{name}_sum").cast(kind) for name, kind in zip(columns, kinds, strict=True)
    ]
    return pa.table([*(groups.column(key) for key in plan.keys), *sums], names=list(plan.columns))


def _added(expr: Expr, rows: pa.Table) -> Any:
    """What a sum adds up, as a column."""
    inner = expr.summed()
    return None if inner is None else tried(lambda: number(inner, rows))


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
