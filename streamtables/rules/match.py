"""Outer, semi and anti joins, and marks: rows that meet another, and rows that meet none.

    flips(L, R) = rows of L_old that now meet a row of R and did not before, minus those that no longer do
    Δ(L ⋉ R) = ΔL ⋉ R_new + flips(L, R)                                       semi
    Δ(L ▷ R) = ΔL ▷ R_new − flips(L, R)                                       anti
    Δ(L ⟕ R) = ΔL ⟕ R_new + L_old ⋈ ΔR − pad(flips(L, R))                     left
    Δ(L ⟗ R) = Δ(L ⟕ R) + pad(Δ(R ▷ L))                                       full
    Δ(mark)  = mark(ΔL, R_new) + flips(L, R) × {+true, −false}                mark

Whether a row of L meets one is counted for the values that the condition reads of L. With equalities alone between the
sides, that are the keys in ΔR: their rows in R are counted as they are, and as they were (`old = new − Δ`). Of a side
that has at most one row per key, ΔR alone tells. With any other condition it is the rows of L that meet a row of ΔR.

Kind     threshold: a count that leaves or reaches zero.
NULL     a condition that is NULL meets nothing; `<=>` lets NULL keys meet.
Cost     the rows of each side that meet the other's change; equal keys narrow what is read.
Cases    sql/operators/outer_join.sql, sql/operators/semi_join.sql, sql/operators/subquery.sql
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import (
    Expr,
    Item,
    all_of,
    always,
    col,
    is_above_zero,
    is_not_zero,
    item,
    lit,
    minus,
    never,
    null,
    one_if,
    total,
)
from streamtables.plan.keys import unique_keys
from streamtables.plan.nodes import WEIGHT
from streamtables.plan.weighted import (
    added,
    consolidated,
    joined,
    over,
    plain_columns,
    renamed,
    weighted,
)
from streamtables.rules.join import narrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.rules.derive import Derive


def delta_match(op: n.Match, derive: Derive) -> n.Node:
    """The rows of the change against the new state, and the old rows that the other side's change flips."""
    if op.kind == "full":
        return _full(op, derive)
    derive.want(op)
    return _matched(op, derive)


def _matched(op: n.Match, derive: Derive) -> n.Node:
    terms = []
    if (change := derive.leaf(op.left)) is not None:
        right = narrowed(op.right, change, op.on)
        terms.append(over(op, [change, right]))
    if derive.is_touched(op.right):
        terms += _from_right(op, derive)
    return added(terms, op.columns)


def _from_right(op: n.Match, derive: Derive) -> list[n.Node]:
    """What the change of the right side does to the old rows of the left one."""
    flips = _flips(op.left, op.right, op.on, derive)
    if op.kind == "semi":
        return [flips]
    if op.kind == "anti":
        return [weighted(flips, sign=-1)]
    if op.kind == "mark":
        return [_marked(flips, op.mark, value=True), _marked(flips, op.mark, value=False)]
    change = derive.leaf(op.right)
    assert change is not None
    left = narrowed(derive.old(op.left), change, op.on)
    return [joined([change, left], op.on, op.columns), _padded(flips, op.columns, sign=-1)]


def _full(op: n.Match, derive: Derive) -> n.Node:
    terms = [_matched(replace(op, kind="left"), derive)]
    unmatched = _matched(n.Match(op.right, op.left, op.on, "anti"), derive)
    return added([*terms, _padded(unmatched, op.columns)], op.columns)


def _marked(flips: n.Node, mark: str, *, value: bool) -> n.Node:
    weight = col(WEIGHT) if value else minus(lit(0), col(WEIGHT))
    items = tuple(map(item, plain_columns(flips)))
    return n.Project(
        flips, (*items, Item(mark, always() if value else never()), Item(WEIGHT, weight))
    )


def _padded(rows: n.Node, columns: Sequence[str], sign: int = 1) -> n.Node:
    """The rows with NULL for every column that they do not have."""
    have = set(rows.columns)
    items = tuple(item(name) if name in have else Item(name, null()) for name in columns)
    weight = col(WEIGHT) if sign == 1 else minus(lit(0), col(WEIGHT))
    return n.Project(rows, (*items, Item(WEIGHT, weight)))


def _flips(left: n.Node, right: n.Node, on: Sequence[Expr], derive: Derive) -> n.Node:
    """The old rows of the left side whose meeting any row of the right one began (+) or ended (−)."""
    theirs = set(right.columns)
    between = [on_ for on_ in on if on_.columns & theirs and not on_.columns <= theirs]
    own = [on_ for on_ in on if not on_.columns & theirs]
    filtered = _filtered(right, [on_ for on_ in on if on_.columns and on_.columns <= theirs])
    change = derive.leaf(filtered)
    assert change is not None
    if all(on_.equality() for on_ in between):
        met = {name: name for on_ in between for name in on_.equality() or () if name in theirs}
        turned = _turned(filtered, change, tuple(met), derive)
        conditions = [*between, *own]
    else:
        read = [name for name in left.columns if any(name in on_.columns for on_ in on)]
        turned = _turned_rows(left, filtered, change, on, read, derive)
        values, conditions = renamed(read, "_met_")
        turned = n.Project(turned, (*values, item(WEIGHT)))
    old = narrowed(derive.old(left), turned, conditions)
    return joined([turned, old], conditions, left.columns)


def _turned(right: n.Node, change: n.Node, keys: tuple[str, ...], derive: Derive) -> n.Node:
    """The keys whose number of rows left zero (weight 1) or came to zero (−1)."""
    if any(set(key) <= set(keys) for key in unique_keys(right)):
        moved = n.Project(change, (*map(item, keys), item(WEIGHT)))
        return derive.stage(consolidated(moved), "keys that began or ceased to be met")
    touched = derive.touched_keys(change, keys) if keys else None
    near = n.Restrict(right, touched, keys) if touched else right
    parts = [_counts(near, keys, lit(1), lit(0)), _counts(change, keys, lit(0), col(WEIGHT))]
    return derive.stage(_crossing(parts, keys), "keys that began or ceased to be met")


def _turned_rows(
    left: n.Node,
    right: n.Node,
    change: n.Node,
    on: Sequence[Expr],
    read: Sequence[str],
    derive: Derive,
) -> n.Node:
    """The same for values of the left side, where more than equal keys decides what meets."""
    candidates: list[n.Node] = [weighted(left)]
    if (own := derive.leaf(left)) is not None:
        candidates.append(own)
    sides = added([narrowed(part, change, on) for part in candidates], left.columns)
    near = joined([change, sides], on, (*left.columns, *right.columns))
    touched = derive.stage(n.Aggregate(near, tuple(read), ()), "rows that a change meets")
    now = joined([touched, narrowed(right, touched, on)], on, (*read, *right.columns))
    then = joined([touched, change], on, (*read, *right.columns))
    parts = [_counts(touched, read, lit(0), lit(0)), _counts(now, read, lit(1), lit(0))]
    parts.append(_counts(then, read, lit(0), col(WEIGHT)))
    return derive.stage(_crossing(parts, read), "rows that began or ceased to meet one")


def _crossing(parts: list[n.Node], keys: Sequence[str]) -> n.Node:
    sums = (Item("_now", total(col("_now"))), Item("_moved", total(col("_moved"))))
    counted = n.Aggregate(n.UnionAll(tuple(parts)), tuple(keys), sums)
    now, then = col("_now"), minus(col("_now"), col("_moved"))
    weight = minus(one_if(is_above_zero(now)), one_if(is_above_zero(then)))
    turned = n.Project(counted, (*map(item, keys), Item(WEIGHT, weight)))
    return n.Filter(turned, is_not_zero(col(WEIGHT)))


def _counts(node: n.Node, keys: Sequence[str], now: Expr, moved: Expr) -> n.Node:
    return n.Project(node, (*map(item, keys), Item("_now", now), Item("_moved", moved)))


def _filtered(node: n.Node, conditions: Sequence[Expr]) -> n.Node:
    condition = all_of(conditions)
    return n.Filter(node, condition) if condition else node
