"""EXCEPT [ALL], MINUS: the rows of the left input that the right one lacks.

    out(l, r) = max(l − r, 0)                       EXCEPT ALL
    out(l, r) = 1 if l > 0 and r = 0 else 0         EXCEPT
    Δ(R ∖ S)  = out(l_new, r_new) − out(l_old, r_old),  for the rows in ΔR or ΔS only

l, r     copies of a row in R and in S.
Kind     counting, two inputs.
NULL     rows meet under `<=>`; two NULLs are one value.
Cost     counts the touched rows in R and in S.
Cases    sql/operators/except.sql, sql/operators/except_all.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.expr import (
    greatest,
    is_above_zero,
    is_zero,
    lit,
    minus,
    one_if,
    times,
)
from streamtables.rules.kinds import counting

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr
    from streamtables.plan.nodes import Except, Node
    from streamtables.rules.derive import Derive


def delta_except(op: Except, derive: Derive) -> Node:
    """Recount the touched rows on both sides; emit the change in `out`."""
    return counting(op, derive, out_of(op))


def out_of(op: Except) -> Callable[[Expr, Expr], Expr]:
    """How often a row is in the answer, by its copies."""
    return out_all if op.all else out_set


def out_all(left: Expr, right: Expr) -> Expr:
    """How often a row is in the answer with ALL."""
    return greatest(minus(left, right), lit(0))


def out_set(left: Expr, right: Expr) -> Expr:
    """Whether a row is in the answer without ALL."""
    return times(one_if(is_above_zero(left)), one_if(is_zero(right)))
