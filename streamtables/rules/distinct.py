"""DISTINCT: each row of the input once.

    out(l) = 1 if l > 0 else 0
    Δδ(R)  = out(l_new) − out(l_new − Δl),  for the rows in ΔR only

l        copies of a row in R.
Kind     counting, one input.
NULL     rows meet under `<=>`; two NULLs are one value.
Cost     counts the touched rows in R.
Cases    sql/operators/distinct.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.expr import is_above_zero, one_if
from streamtables.rules.kinds import counting

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr
    from streamtables.plan.nodes import Distinct, Node
    from streamtables.rules.derive import Derive


def delta_distinct(op: Distinct, derive: Derive) -> Node:
    """Recount the touched rows; emit those whose first copy came or whose last copy went."""
    return counting(op, derive, out_of(op))


def out_of(_: Distinct) -> Callable[[Expr, Expr], Expr]:
    """How often a row is in the answer, by its copies."""
    return out


def out(left: Expr, _: Expr) -> Expr:
    """How often a row is in the answer."""
    return one_if(is_above_zero(left))
