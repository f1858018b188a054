"""UNION ALL: the changes of all inputs together.

    Δ(R ⊎ S) = ΔR ⊎ ΔS

Kind     linear.
NULL     plays no part.
Cost     that of the changes.
Cases    sql/operators/union_all.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.weighted import added, weighted

if TYPE_CHECKING:
    from streamtables.plan.nodes import Node, UnionAll
    from streamtables.rules.derive import Derive


def delta_union_all(op: UnionAll, derive: Derive) -> Node:
    """The sum of the changes of those inputs that changed."""
    changes = [change for child in op.inputs if (change := derive.delta(child))]
    return added([weighted(change, op.columns) for change in changes], op.columns)
