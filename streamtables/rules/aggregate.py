"""GROUP BY and aggregates without it: the touched groups, recomputed.

    K = keys(ΔR)
    Δγ(R) = γ(R_new ↾ K) − γ(R_old ↾ K),  R_old ↾ K = R_new ↾ K − ΔR

Without keys there is one group, touched by any change, and always exactly one row. Where the aggregate stands at the
top of the query and its keys are columns of the answer, `γ(R_old ↾ K)` is read from the stored table (derive.py). Below
a join K holds only groups that the join can meet (wanted.py).

Kind     regroup: right for every aggregate function, since nothing is ever subtracted from a value.
NULL     NULL is a key like any other (`<=>`); the aggregate functions see the group's rows as in the full query.
Cost     reads the touched groups of R, twice below the top, once at the top.
Cases    sql/operators/aggregate.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.rules.kinds import regroup

if TYPE_CHECKING:
    from streamtables.plan.nodes import Aggregate, Node
    from streamtables.rules.derive import Derive


def delta_aggregate(op: Aggregate, derive: Derive) -> Node:
    """The touched groups as they are, minus as they were."""
    return regroup(op, derive)
