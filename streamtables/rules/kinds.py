"""The ways to be incremental.

    linear     Δf(R) = f(ΔR)
    bilinear   Δ(R ⋈ S) = ΔR ⋈ S_old + R_new ⋈ ΔS
    counting   Δ = out(counts new) − out(counts new − Δcounts), over the touched rows
    regroup    Δ = op(new ↾ K) − op(old ↾ K), over the touched keys K, those that can matter (wanted.py)

A new state is the plan itself. An old state is never read: it is `new − Δ`, a weighted relation (`Derive.old`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, is_not_zero, item, lit, minus, total
from streamtables.plan.nodes import WEIGHT
from streamtables.plan.weighted import (
    added,
    as_bag,
    consolidated,
    over,
    plain_columns,
    subtracted,
    weighted,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamtables.rules.derive import Derive


def linear(op: n.Node, derive: Derive) -> n.Node:
    """`f(ΔR)` for an operator of one input."""
    (child,) = derive.children(op)
    return over(op, [derive.known_delta(child)])


def counting(op: n.Node, derive: Derive, out: Callable[[Expr, Expr], Expr]) -> n.Node:
    """Recount the touched rows on both sides; emit the change in `out`.

    Each side adds a row's copies to its own count: new copies from the side restricted to touched rows, changed copies
    from the side's change. One scan of each side serves the new and the old counts, since old = new − change.
    """
    sides = derive.children(op)
    changes = {i: change for i, side in enumerate(sides) if (change := derive.leaf(side))}
    touched = derive.touched_keys(added(list(changes.values()), op.columns), op.columns)
    parts = []
    for i, side in enumerate(sides):
        near = n.Restrict(side, touched, side.columns)
        parts.append(_counts(near, op.columns, {_NEW[i]: lit(1)}))
        if i in changes:
            parts.append(_counts(changes[i], op.columns, {_MOVED[i]: col(WEIGHT)}))
    sums = tuple(Item(name, total(col(name))) for name in (*_NEW, *_MOVED))
    counted = n.Aggregate(n.UnionAll(tuple(parts)), op.columns, sums)
    new = [col(name) for name in _NEW]
    old = [minus(col(a), col(b)) for a, b in zip(_NEW, _MOVED, strict=True)]
    weight = Item(WEIGHT, minus(out(*new), out(*old)))
    moved = n.Project(counted, (*map(item, op.columns), weight))
    return n.Filter(moved, is_not_zero(col(WEIGHT)))


def regroup(op: n.Aggregate | n.Window, derive: Derive) -> n.Node:
    """Recompute the touched groups, as they are and as they were; emit the difference."""
    change = derive.leaf(op.child)
    assert change is not None
    new = op.child
    if op.keys:
        touched = derive.touched_keys(change, op.keys)
        wanted = derive.wanted(op, touched)
        new = n.Restrict(op.child, wanted, op.keys)
        if wanted is not touched:
            change = n.Restrict(change, wanted, op.keys)
    new = derive.read_once(op.child, new)
    old = as_bag(subtracted(new, change))
    both = [derive.computed(op, replace(op, child=new)), replace(op, child=old)]
    signed = [weighted(side, sign=sign) for side, sign in zip(both, (1, -1), strict=True)]
    return consolidated(added(signed, op.columns))


_NEW = ("_left", "_right")
_MOVED = ("_left_moved", "_right_moved")


def _counts(node: n.Node, names: Sequence[str], filled: dict[str, Expr]) -> n.Node:
    """The rows with four counters, all zero but the one this part of the union fills."""
    pairs = zip(names, plain_columns(node), strict=True)
    counters = (Item(name, filled.get(name, lit(0))) for name in (*_NEW, *_MOVED))
    return n.Project(node, (*(Item(new, col(old)) for new, old in pairs), *counters))
