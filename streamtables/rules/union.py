"""UNION: the different rows of either input.

    out(l, r) = 1 if l + r > 0 else 0
    Δ(R ∪ S)  = out(l_new, r_new) − out(l_old, r_old),  for the rows in ΔR or ΔS only

l, r     copies of a row in R and in S.
Kind     counting, two inputs.
NULL     rows meet under `<=>`; two NULLs are one value.
Cost     counts the touched rows in R and in S.
Cases    sql/operators/union.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.expr import is_above_zero, one_if, plus
from streamtables.rules.kinds import counting

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr
    from streamtables.plan.nodes import Node, Union
    from streamtables.rules.derive import Derive


def delta_union(op: Union, derive: Derive) -> Node:
    """Recount the touched rows on both sides; emit the change in `out`."""
    return counting(op, derive, out_of(op))


def out_of(_: Union) -> Callable[[Expr, Expr], Expr]:
    """How often a row is in the answer, by its copies."""
    return out


def out(left: Expr, right: Expr) -> Expr:
    """How often a row is in the answer."""
    return one_if(is_above_zero(plus(left, right)))
