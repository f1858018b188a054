"""INTERSECT [ALL]: the rows both inputs have.

    out(l, r) = min(l, r)                    INTERSECT ALL
    out(l, r) = 1 if min(l, r) > 0 else 0    INTERSECT
    Δ(R ∩ S)  = out(l_new, r_new) − out(l_old, r_old),  for the rows in ΔR or ΔS only

l, r     copies of a row in R and in S.
Kind     counting, two inputs.
NULL     rows meet under `<=>`; two NULLs are one value.
Cost     counts the touched rows in R and in S.
Cases    sql/operators/intersect.sql, sql/operators/intersect_all.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.expr import is_above_zero, least, one_if
from streamtables.rules.kinds import counting

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr
    from streamtables.plan.nodes import Intersect, Node
    from streamtables.rules.derive import Derive


def delta_intersect(op: Intersect, derive: Derive) -> Node:
    """Recount the touched rows on both sides; emit the change in `out`."""
    return counting(op, derive, out_of(op))


def out_of(op: Intersect) -> Callable[[Expr, Expr], Expr]:
    """How often a row is in the answer, by its copies."""
    return least if op.all else out_set


def out_set(left: Expr, right: Expr) -> Expr:
    """Whether a row is in the answer of the form without ALL."""
    return one_if(is_above_zero(least(left, right)))
