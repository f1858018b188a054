"""WITH RECURSIVE: what follows from what changed, round by round; below the top the recursion minus as it was.

    X = μX. B ⊎ S(X)
    ΔX = X(B_new, S_new) − X(B_old, S_old)

At the top of the query the old rows are those stored (stored_fixpoint.py).

Kind     fixpoint.
NULL     as the joins of the step say.
Cost     of stored rows, those that the joins of each round find; below the top twice that of the recursion.
Cases    sql/operators/recursion.sql
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan.nodes import Recur
from streamtables.plan.walk import children, find, with_children
from streamtables.plan.weighted import added, as_bag, consolidated, weighted

if TYPE_CHECKING:
    from streamtables.plan.nodes import Fixpoint, Node
    from streamtables.rules.derive import Derive


def delta_fixpoint(op: Fixpoint, derive: Derive) -> Node:
    """The new rows minus the old ones."""
    old = replace(op, name=f"{op.name}_old", base=_old(op.base, derive), step=_old(op.step, derive))
    both = [weighted(op), weighted(_renamed(old, op.name), sign=-1)]
    return consolidated(added(both, op.columns))


def _old(node: Node, derive: Derive) -> Node:
    """A part of the recursion over old inputs; what does not read the recursion itself is materialised."""
    if not derive.is_touched(node):
        return node
    if any(find(node, Recur)):
        return with_children(node, tuple(_old(child, derive) for child in children(node)))
    return derive.stage(as_bag(derive.old(node)), "old input of a recursion")


def _renamed(old: Fixpoint, name: str) -> Fixpoint:
    """The old recursion under a name of its own."""

    def rename(node: Node) -> Node:
        if isinstance(node, Recur) and node.name == name:
            return replace(node, name=old.name)
        return with_children(node, tuple(map(rename, children(node))))

    return replace(old, step=rename(old.step))
