"""Delta: how the change of a query's answer is computed, as steps over changes of its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan.nodes import WEIGHT, Node, _require

if TYPE_CHECKING:
    from streamtables.plan.nodes import Step


@dataclass(frozen=True)
class Stage:
    """One materialised step: its answer is known, usually as literals, to every later step."""

    step: Step
    plan: Node
    note: str


@dataclass(frozen=True)
class Delta:
    """Stages in order, then the change of the answer: its columns and `_weight`, consolidated.

    `key` names columns of the answer that no two of its rows share, or is None for a bag. An empty key means
    that the answer has one row. `is_compared` says that the change was found by comparing with the stored rows.
    """

    stages: tuple[Stage, ...]
    changes: Node
    key: tuple[str, ...] | None
    is_compared: bool
    state: Node | None = None
    """The change of what is kept beside the table, where something is: its columns and `_weight`."""
    kept: Step | None = None
    """The step that holds what is to be kept of the touched keys."""
    counts: tuple[str, ...] = ()
    """The columns of that step which count: below zero, they prove a fault."""

    def __post_init__(self) -> None:
        _require(self.changes.columns[-1] == WEIGHT, "a change carries its weight last")
