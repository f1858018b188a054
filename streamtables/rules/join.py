"""Inner and cross join of any number of inputs.

    Δ(R₁ ⋈ … ⋈ Rₙ) = Σᵢ  R₁_new ⋈ … ⋈ Rᵢ₋₁_new ⋈ ΔRᵢ ⋈ Rᵢ₊₁_old ⋈ … ⋈ Rₙ_old

One term per changed input, none for the others. Each term starts at its change and walks along the join conditions, so
it never joins two big inputs before the change has cut them down. A self join is two inputs that both changed.

Kind     bilinear.
NULL     as the conditions say: `=` drops NULL keys, `<=>` does not.
Cost     per changed input, the rows of the others that meet the change; equal keys narrow what is read of them.
Cases    sql/operators/join.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.nodes import Narrow
from streamtables.plan.origin import origin
from streamtables.plan.weighted import added, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.plan.expr import Expr
    from streamtables.plan.nodes import Join, Node
    from streamtables.rules.derive import Derive


def delta_join(op: Join, derive: Derive) -> Node:
    """The sum of one term per changed input."""
    derive.want(op)
    terms = []
    for i, child in enumerate(op.inputs):
        change = derive.leaf(child)
        if change is None:
            continue
        inputs = [
            change
            if j == i
            else narrowed(derive.new(other) if j < i else derive.old(other), change, op.on)
            for j, other in enumerate(op.inputs)
        ]
        ordered = [inputs[j] for j in walk_from(i, op)]
        terms.append(joined(ordered, op.on, op.columns))
    return added(terms, op.columns)


def walk_from(start: int, op: Join) -> list[int]:
    """The inputs in the order to join them: from one outwards along the conditions, the unconnected last."""
    order, rest = [start], [i for i in range(len(op.inputs)) if i != start]
    while rest:
        reached = {name for i in order for name in op.inputs[i].columns}
        ranked = sorted(rest, key=lambda i: -_links(op, i, reached))
        order.append(ranked[0])
        rest.remove(ranked[0])
    return order


def _links(op: Join, i: int, reached: set[str]) -> int:
    """How many conditions tie an input to what was reached, none of them reading further inputs."""
    own = set(op.inputs[i].columns)
    return sum(
        bool(on.columns & own) and bool(on.columns & reached) and on.columns <= own | reached
        for on in op.on
    )


def narrowed(node: Node, change: Node, on: Sequence[Expr]) -> Node:
    """The input with hints that only rows whose keys occur in the change matter."""
    for column, key in equal_columns(on, set(node.columns), set(change.columns)):
        if found := origin(change, key):
            node = Narrow(node, column, *found)
    return node


def equal_columns(on: Sequence[Expr], left: set[str], right: set[str]) -> list[tuple[str, str]]:
    """The pairs of a left and a right column that the conditions make equal, directly or through others."""
    groups: list[set[str]] = []
    for pair in filter(None, (condition.equality() for condition in on)):
        meeting = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in meeting]
        groups.append(set(pair).union(*meeting))
    return sorted(
        (ours, sorted(group & right)[0])
        for group in groups
        for ours in group & left
        if group & right
    )
