"""WHERE, HAVING: the filter applied to the change.

    Δσ(R) = σ(ΔR)

Kind     linear.
NULL     a condition that is NULL keeps no row, in an old as in a new one.
Cost     that of the change.
Cases    sql/operators/filter.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.rules.kinds import linear

if TYPE_CHECKING:
    from streamtables.plan.nodes import Filter, Node
    from streamtables.rules.derive import Derive


def delta_filter(op: Filter, derive: Derive) -> Node:
    """The rows of the change for which the condition is true, weights kept."""
    return linear(op, derive)
