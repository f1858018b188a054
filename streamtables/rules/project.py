"""SELECT list: the projection applied to the change.

    Δπ(R) = π(ΔR)

Different rows may become equal; their weights add up when the change is consolidated.

Kind     linear.
NULL     as the expressions say.
Cost     that of the change.
Cases    sql/operators/project.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.rules.kinds import linear

if TYPE_CHECKING:
    from streamtables.plan.nodes import Node, Project
    from streamtables.rules.derive import Derive


def delta_project(op: Project, derive: Derive) -> Node:
    """The items computed for each row of the change, weights kept."""
    return linear(op, derive)
