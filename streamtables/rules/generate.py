"""explode, posexplode, inline, stack: the generator applied to the change.

    Δγ(R) = γ(ΔR)

What a generator makes of a row depends on that row alone; with OUTER a row of which nothing is made stays.

Kind     linear.
NULL     a NULL array makes no row, or one with OUTER.
Cost     that of the change.
Cases    sql/operators/generate.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.rules.kinds import linear

if TYPE_CHECKING:
    from streamtables.plan.nodes import Generate, Node
    from streamtables.rules.derive import Derive


def delta_generate(op: Generate, derive: Derive) -> Node:
    """What is made of each row of the change, weights kept."""
    return linear(op, derive)
