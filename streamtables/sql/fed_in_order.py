"""Aggregates whose answer depends, if only in its last digit, on the order in which rows are met: fed in a fixed order.

Over a window each partition is met in the order of its rows, so

    γ[k; f(x)](R)  =  γ[k; any_value(v)](ω[k; v = f(x) OVER (PARTITION BY k ORDER BY x ROWS … whole partition)](R))

Such are variances, correlations, regressions, approximate percentiles and the like; of no rows they are NULL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.sql import functions
from streamtables.sql.aggregates import bare
from streamtables.sql.refuse import calls
from streamtables.sql.ties import ordered

if TYPE_CHECKING:
    from collections.abc import Sequence


def fed_in_order(
    node: n.Aggregate, found: Item, child: n.Node, unordered: frozenset[str]
) -> tuple[Item, n.Node] | None:
    """The item over a child that computes its calls in order; None where some call cannot be."""
    tree = exp.Paren(this=found.expr.tree.copy())
    for call in list(_calls_in(tree)):
        arguments = _arguments(call)
        if arguments is None or any(part.name in unordered for part in _columns(arguments)):
            return None
        name = next(f"_fed_{i}" for i in range(1000) if f"_fed_{i}" not in child.columns)
        value = Item(name, _over(bare(call), arguments, node.keys))
        child = n.Window(child, node.keys, (value,))
        once = exp.Anonymous(this="any_value", expressions=[col(name).tree])
        call.replace(once)
    return Item(found.name, Expr(tree.this)), child


def _calls_in(tree: exp.Expr) -> list[exp.Expr]:
    call = bare(tree)
    if isinstance(call, exp.Func) and next(calls(call))[0] in functions.FED_IN_ORDER:
        return [tree]
    return [found for part in tree.iter_expressions() for found in _calls_in(part)]


def _arguments(call: exp.Expr) -> list[exp.Expr] | None:
    """What is aggregated, NULL where a FILTER leaves it out; Spark has no FILTER over a window."""
    if call.find(exp.WithinGroup, exp.Distinct):
        return None
    inner, where = bare(call), call.find(exp.Filter)
    arguments = [*([inner.this] if isinstance(inner.this, exp.Expr) else ()), *inner.expressions]
    if where is None:
        return [part.copy() for part in arguments]
    first = exp.Case().when(where.expression.this.copy(), arguments[0].copy())
    return [first, *(part.copy() for part in arguments[1:])]


def _over(call: exp.Expr, arguments: Sequence[exp.Expr], keys: Sequence[str]) -> Expr:
    made = exp.Anonymous(this=next(calls(call))[0], expressions=list(arguments))
    sorted_by = [exp.Ordered(this=part.copy()) for part in arguments if part.find(exp.Column)]
    window = exp.Window(
        this=made,
        partition_by=[col(key).tree for key in keys],
        order=exp.Order(expressions=sorted_by),
    )
    return ordered(window, (), whole=True)


def _columns(trees: Sequence[exp.Expr]) -> list[exp.Column]:
    return [found for tree in trees for found in tree.find_all(exp.Column)]
