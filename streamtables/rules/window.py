"""Window functions: the touched partitions, recomputed.

    K = partition keys(ΔR)
    Δω(R) = ω(R_new ↾ K) − ω(R_old ↾ K),  R_old ↾ K = R_new ↾ K − ΔR

Without PARTITION BY there is one partition. Where the window stands at the top of the query and its partition keys are
columns of the answer, `ω(R_old ↾ K)` is read from the stored table (derive.py).

Kind     regroup.
NULL     NULL is a partition key like any other (`<=>`).
Cost     reads the touched partitions of R, twice below the top, once at the top.
Cases    sql/operators/window.sql, sql/operators/limit.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.rules.kinds import regroup

if TYPE_CHECKING:
    from streamtables.plan.nodes import Node, Window
    from streamtables.rules.derive import Derive


def delta_window(op: Window, derive: Derive) -> Node:
    """The touched partitions as they are, minus as they were."""
    return regroup(op, derive)
