"""Delta: how the change of a query's answer is computed, as steps over changes of its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan.nodes import WEIGHT, Node, Step, _require
from streamtables.plan.weighted import added, consolidated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# No answer has so many rows: what comes to more goes round in a circle.
_MOST_COPIES = 10**9


@dataclass(frozen=True)
class Rounds:
    """How the rows of a stage go on: `plan` reads those found last, as `last`, until it finds none."""

    last: Step
    plan: Node
    most: int
    fields: tuple[str, ...]
    """The columns of the stream table whose types the rows have; with others they are not followed."""
    otherwise: Node
    """All that the rounds would find, where they do not end."""


@dataclass(frozen=True)
class Stage:
    """One materialised step: its answer is known, usually as literals, to every later step."""

    step: Step
    plan: Node
    note: str
    rounds: Rounds | None = None

    def shown(self) -> Iterator[tuple[str, str, Node]]:
        """Its plans, each with a name and what it is."""
        yield self.step.name, self.note, self.plan
        if self.rounds:
            yield self.rounds.last.name, "what comes of the rows found last", self.rounds.plan
            yield self.step.name, "where that does not end", self.rounds.otherwise

    def followed(self, run: Callable[[Rounds, Step, Node], int | None]) -> Node:
        """The plan of its rows, once all rounds have run.

        `run` computes one round under the name of a step, and as what was found last; it tells the copies that it has,
        or None where their types are others.
        """
        if self.rounds is None:
            return self.plan
        steps, plan = list[Step](), self.plan
        for number in range(self.rounds.most + 1):
            steps.append(Step(f"{self.step.name}_{number}", self.step.columns))
            copies = run(self.rounds, steps[-1], plan)
            if copies == 0:
                return consolidated(added(steps, self.step.columns[:-1]))
            if copies is None or copies > _MOST_COPIES:
                break
            plan = self.rounds.plan
        return self.rounds.otherwise


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
    before: Step | None = None
    """The step that holds what was kept of the touched keys; it may have all that was kept."""
    kept: Step | None = None
    """The step that holds what is to be kept of those."""
    left: Node | None = None
    """The same without what is there no more, in the columns that are kept."""
    counts: tuple[str, ...] = ()
    """The columns of that step which count: below zero, they prove a fault."""

    def __post_init__(self) -> None:
        _require(self.changes.columns[-1] == WEIGHT, "a change carries its weight last")
