"""Plans so plain that the driver answers them: rows that are here filtered, joined and grouped, numbers computed.

Each saves a Spark job; anything else is Spark's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from streamtables.plan import nodes as n
from streamtables.plan.expr import always, col, never, same
from streamtables.plan.walk import children
from streamtables.spark.arithmetic import sum_type
from streamtables.spark.computed import number, tried, truth
from streamtables.spark.matched import joined, matched
from streamtables.spark.plain import are_comparable
from streamtables.spark.relations import HERE_ROWS
from streamtables.spark.windows import windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr

    Leaf = Callable[[n.Changed | n.Step], pa.Table | None]

_TRUTHS = {always(): True, never(): False}


def answer(plan: n.Node, leaf: Leaf) -> pa.Table | None:
    """The answer of a plan, or None where it is not for the driver; `leaf` gives leaves that are here."""
    found = tried(lambda: _answer(plan, leaf))
    # A column of nothing but NULL has a type only beside others.
    is_typed = found is not None and pa.null() not in found.schema.types
    return found if is_typed else None


def _answer(plan: n.Node, leaf: Leaf) -> pa.Table | None:
    if isinstance(plan, (n.Changed, n.Step)):
        found = leaf(plan)
        return None if found is None else found.rename_columns(list(plan.columns))
    rule = _RULES.get(type(plan))
    if rule is None:
        return None
    inputs = (*children(plan), plan.keys) if isinstance(plan, n.Restrict) else children(plan)
    below = [_answer(child, leaf) for child in inputs]
    return None if any(part is None for part in below) else rule(plan, *below)


def _restricted(plan: n.Restrict, child: pa.Table, keys: pa.Table) -> pa.Table | None:
    """Rows that equal one of the keys in some columns."""
    names = [f"_key_{i}" for i in range(len(plan.on))]
    on = [same(col(ours), col(theirs)) for ours, theirs in zip(plan.on, names, strict=True)]
    return matched(child, keys.rename_columns(names), on, "semi", HERE_ROWS)


def _filtered(plan: n.Filter, child: pa.Table) -> pa.Table | None:
    """Rows for which a condition is true."""
    found = truth(plan.condition, child)
    return None if found is None else child.filter(found)


def _projected(plan: n.Project, child: pa.Table) -> pa.Table | None:
    columns = [_column(item.expr, child) for item in plan.items]
    if any(column is None for column in columns):
        return None
    return pa.table(columns, names=list(plan.columns))


def _column(expr: Expr, rows: pa.Table) -> Any:
    """A column of the rows, a constant, or what is computed of numbers."""
    if expr.is_null:
        return pa.nulls(rows.num_rows)
    if expr in _TRUTHS:
        return pa.repeat(pa.scalar(_TRUTHS[expr]), rows.num_rows)
    if isinstance(expr.constant, str):
        return pa.repeat(pa.scalar(expr.constant), rows.num_rows)
    return rows.column(expr.column) if expr.column else number(expr, rows)


def _copied(_: n.Copies, child: pa.Table) -> pa.Table | None:
    """Each row as often as its weight says."""
    counts = child.column(n.WEIGHT).to_numpy()
    if counts.sum() > HERE_ROWS:
        return None
    return child.drop_columns([n.WEIGHT]).take(np.repeat(np.arange(len(counts)), counts))


def _together(plan: n.UnionAll, *parts: pa.Table) -> pa.Table | None:
    """Only tables whose types Spark would leave as they are, or make wider in a way that is known here."""
    alike = of_one_type([part.rename_columns(list(plan.columns)) for part in parts])
    return None if alike is None else pa.concat_tables(alike)


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
    typed = kinds - {pa.null()}
    if len(typed) < 2:
        return next(iter(typed or kinds))
    if not all(map(pa.types.is_decimal128, typed)) or len({kind.scale for kind in typed}) > 1:
        return None
    return max(typed, key=lambda kind: kind.precision)


def _grouped(plan: n.Aggregate, child: pa.Table) -> pa.Table | None:
    """Different keys with aggregates of numbers, of types whose equality Arrow and Spark agree on."""
    keyed = child.select(list(plan.keys))
    if not are_comparable(keyed):
        return None
    wanted = [(item.name, *(_aggregated(item.expr, child) or (None,))) for item in plan.items]
    if any(found[1] is None for found in wanted):
        return None
    inputs = dict(zip(plan.keys, keyed.columns, strict=True))
    inputs |= {name: column for name, column, *_ in wanted}
    groups = (
        pa.table(inputs)
        .group_by(list(plan.keys))
        .aggregate([(name, function) for name, _, function, _ in wanted])
    )
    columns = [groups.column(f"{name}_{function}").cast(kind) for name, _, function, kind in wanted]
    return pa.table(
        [*(groups.column(key) for key in plan.keys), *columns], names=list(plan.columns)
    )


def _aggregated(expr: Expr, rows: pa.Table) -> tuple[Any, str, pa.DataType] | None:
    """What an aggregate is of, Arrow's name for it, and its type."""
    name, inner = expr.aggregated() or ("", None)
    if name == "count" and inner is None:
        return pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows), "count", pa.int64()
    column = None if inner is None else _column(inner, rows)
    if column is None or pa.types.is_null(column.type):
        return None
    if name == "count":
        return column, name, pa.int64()
    if name == "sum":
        kind = sum_type(column)
        return None if kind is None else (column, name, kind)
    if name in ("min", "max") and _is_ordered(column.type):
        return (column, name, column.type) if are_comparable(pa.table({"v": column})) else None
    return None


def _is_ordered(kind: pa.DataType) -> bool:
    """Whether Arrow has the ends of groups of it, by the order that Spark has."""
    tests = (pa.types.is_integer, pa.types.is_decimal, pa.types.is_date, pa.types.is_timestamp)
    return any(test(kind) for test in (*tests, pa.types.is_floating))


_RULES: dict[type[n.Node], Callable[..., pa.Table | None]] = {
    n.Project: _projected,
    n.Filter: _filtered,
    n.UnionAll: _together,
    n.Aggregate: _grouped,
    n.Restrict: _restricted,
    n.Narrow: lambda _, child: child,
    n.Copies: _copied,
    n.Window: windowed,
    n.Join: lambda plan, *inputs: joined(inputs, plan.on, HERE_ROWS),
    n.Match: lambda plan, left, right: matched(left, right, plan.on, plan.kind, HERE_ROWS),
}
