"""The small algebra of weighted relations: rows with `_weight`, how many copies they add or take away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import (
    Expr,
    Item,
    col,
    is_above_zero,
    is_not_zero,
    item,
    lit,
    negated,
    product,
    same,
    total,
)
from streamtables.plan.nodes import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_weighted(node: n.Node) -> bool:
    """Whether the relation carries weights; without them every row counts once."""
    return WEIGHT in node.columns


def plain_columns(node: n.Node) -> tuple[str, ...]:
    """The columns apart from the weight."""
    return tuple(name for name in node.columns if name != WEIGHT)


def weighted(node: n.Node, names: Sequence[str] | None = None, sign: int = 1) -> n.Node:
    """The relation with its weights times `sign`, its columns renamed by position to `names`."""
    columns = plain_columns(node)
    items = [Item(new, col(old)) for new, old in zip(names or columns, columns, strict=True)]
    weight = col(WEIGHT) if is_weighted(node) else lit(1)
    return n.Project(node, (*items, Item(WEIGHT, weight if sign == 1 else negated(weight))))


def renamed(columns: Sequence[str], prefix: str) -> tuple[tuple[Item, ...], list[Expr]]:
    """Columns under names of their own, and the conditions that both are the same, NULL or not."""
    pairs = [(name, f"{prefix}{i}") for i, name in enumerate(columns)]
    items = tuple(Item(new, col(old)) for old, new in pairs)
    return items, [same(col(old), col(new)) for old, new in pairs]


def added(parts: Sequence[n.Node], names: Sequence[str]) -> n.Node:
    """The sum of weighted relations."""
    alike = [weighted(part, names) if _differs(part, names) else part for part in parts]
    return alike[0] if len(alike) == 1 else n.UnionAll(tuple(alike))


def subtracted(node: n.Node, change: n.Node) -> n.Node:
    """`node − change`: what node was before its change."""
    return n.UnionAll((weighted(node), weighted(change, plain_columns(node), -1)))


def consolidated(node: n.Node) -> n.Node:
    """Each row once, with the sum of its weights; rows whose weights cancel are gone."""
    summed = n.Aggregate(node, plain_columns(node), (Item(WEIGHT, total(col(WEIGHT))),))
    return n.Filter(summed, is_not_zero(col(WEIGHT)))


def is_consolidated(node: n.Node) -> bool:
    """Whether the relation is the outcome of `consolidated`."""
    if not isinstance(node, n.Filter) or not isinstance(node.child, n.Aggregate):
        return False
    below = node.child.child
    return is_weighted(below) and bool(plain_columns(below)) and node == consolidated(below)


def as_bag(node: n.Node) -> n.Node:
    """A weighted relation as rows, each as often as its weight says."""
    if not is_weighted(node):
        return node
    summed = n.Aggregate(node, plain_columns(node), (Item(WEIGHT, total(col(WEIGHT))),))
    return n.Copies(n.Filter(summed, is_above_zero(col(WEIGHT))))


def over(op: n.Node, inputs: Sequence[n.Node]) -> n.Node:
    """A linear or bilinear operator over weighted inputs: weights pass through, and multiply in a join."""
    if isinstance(op, n.Filter):
        return replace(op, child=inputs[0])
    if isinstance(op, n.Project):
        weight = (item(WEIGHT),) if is_weighted(inputs[0]) else ()
        return n.Project(inputs[0], (*op.items, *weight))
    if isinstance(op, n.UnionAll):
        if any(map(is_weighted, inputs)):
            return added([weighted(child, op.columns) for child in inputs], op.columns)
        return n.UnionAll(tuple(inputs))
    if isinstance(op, n.Join):
        return joined(inputs, op.on, op.columns)
    if isinstance(op, n.Generate):
        return _weight_last(replace(op, child=inputs[0]))
    if isinstance(op, n.Match) and op.kind != "full" and not is_weighted(inputs[1]):
        return _weight_last(replace(op, left=inputs[0], right=inputs[1]))
    raise n.InvalidPlan(f"{type(op).__name__} is not linear")


def joined(inputs: Sequence[n.Node], on: Sequence[Expr], columns: Sequence[str]) -> n.Node:
    """The join of weighted inputs, in the given order, with its columns in the wanted order."""
    renamed: list[n.Node] = []
    weights = []
    for number, child in enumerate(inputs):
        if not is_weighted(child):
            renamed.append(child)
            continue
        name = f"{WEIGHT}_{number}"
        weights.append(col(name))
        kept = tuple(item(column) for column in plain_columns(child))
        renamed.append(n.Project(child, (*kept, Item(name, col(WEIGHT)))))
    join = n.Join(tuple(renamed), tuple(on))
    weight = (Item(WEIGHT, product(weights)),) if weights else ()
    return n.Project(join, (*(item(name) for name in columns), *weight))


def _weight_last(node: n.Node) -> n.Node:
    if not is_weighted(node):
        return node
    return n.Project(node, (*map(item, plain_columns(node)), item(WEIGHT)))


def _differs(node: n.Node, names: Sequence[str]) -> bool:
    return node.columns != (*names, WEIGHT)
