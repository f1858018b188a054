"""What a refresh will take, either way: priors by what it has to read, corrected by the table's own history.

    incremental = fixed + per query that Spark runs + rows scanned + rows changed + a look into the result
    recompute   = fixed + rows scanned + rows grouped, joined or ordered + rows compared with the result

The priors are rough seconds of a machine with two cores; only their proportions matter, because what past refreshes
took over their own priors corrects each side: the median counts, in which samples weigh less with each that came
later. A side without samples borrows the correction of the other if that is for the worse: a machine that is slow for
the one is slow for both, but what makes the one quick need not help the other. Recomputing takes no longer than making
the table took, which mostly is the first that a process does.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import exp, log
from typing import TYPE_CHECKING, Any

from streamtables.model import Action
from streamtables.plan import nodes as n
from streamtables.plan.walk import every, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.model import Refresh
    from streamtables.plan.delta import Delta
    from streamtables.refresh.engine import Work

# Seconds: of a refresh without rows, of a query over sources, of one over rows that are on the driver.
_FIXED = {Action.INCREMENTAL: 0.05, Action.FULL: 1.0}
_PER_QUERY, _PER_SMALL_QUERY = 0.2, 0.05
# Seconds per row: changed; scanned; grouped, joined or ordered; compared with the result; passed by in the result.
_PER_CHANGED, _PER_SCANNED, _PER_MOVED = 20e-6, 0.06e-6, 0.25e-6
_PER_COMPARED, _PER_PASSED = 1e-6, 0.05e-6
_LINEAR = (n.Scan, n.Filter, n.Project, n.UnionAll, n.Generate, n.OneRow, n.Constant)

# What each later sample leaves of a sample's weight, and the weight of what both sides have in common.
_DECAY, _COMMON = 0.8, 0.5
# From so many incremental refreshes on a table's history is trusted.
SAMPLES = 2
# Names of what history keeps.
ESTIMATES = {Action.INCREMENTAL: "estimate_incremental", Action.FULL: "estimate_full"}
PRIORS = {Action.INCREMENTAL: "prior_incremental", Action.FULL: "prior_full"}
STATE_MADE, FILL = "state_made_s", "FIRST_FILL"


@dataclass(frozen=True, slots=True)
class Load:
    """What a refresh has before it: rows changed in all, rows of each source, rows of the result."""

    changed: int
    sources: Mapping[str, int]
    result: int

    @classmethod
    def of(cls, work: Work[Any]) -> Load:
        """What a refresh under way has before it."""
        return cls(sum(work.changed_rows().values()), *work.sizes())

    @property
    def source(self) -> int:
        """The rows of all sources."""
        return sum(self.sources.values())

    def scanned(self, plan: n.Node) -> int:
        """The rows of sources that a plan reads, as often as it reads them."""
        return sum(self.sources.get(scan.source, 1) for scan in find(plan, n.Scan))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds either way."""

    incremental: float
    full: float

    def of(self, action: Action) -> float:
        """The seconds of one of them."""
        return self.incremental if action is Action.INCREMENTAL else self.full

    def measures(self, names: Mapping[Action, str]) -> dict[str, float]:
        """As history keeps it."""
        return {name: round(self.of(action), 4) for action, name in names.items()}


def prior(plan: n.Node, delta: Delta, load: Load) -> Estimate:
    """The estimate before anything is known of the table but its query."""
    steps = [*(stage.plan for stage in delta.stages), delta.changes]
    steps += [stage.rounds.plan for stage in delta.stages if stage.rounds]
    if delta.state is not None:
        steps.append(delta.state)
    incremental = (
        _FIXED[Action.INCREMENTAL]
        + sum(_step(step, load) for step in steps)
        + _PER_CHANGED * load.changed
        + _PER_PASSED * load.result
    )
    moved = sum(load.scanned(node) for node in every(plan) if not isinstance(node, _LINEAR))
    full = (
        _FIXED[Action.FULL]
        + _PER_SCANNED * load.scanned(plan)
        + _PER_MOVED * moved
        + _PER_COMPARED * load.result
    )
    return Estimate(incremental, full)


def _step(plan: n.Node, load: Load) -> float:
    scanned = load.scanned(plan)
    return _PER_QUERY + _PER_SCANNED * scanned if scanned else _PER_SMALL_QUERY


def estimate(before: Estimate, history: Sequence[Refresh]) -> Estimate:
    """The prior, corrected by what past refreshes (newest first) took over their own priors."""
    logs = {
        side: [(log(ratio), _DECAY**age) for age, ratio in enumerate(ratios(history, side))]
        for side in PRIORS
    }
    found = [(value, 1.0) for values in logs.values() for value, _ in values]
    common = _middle(found) if found else 0.0
    incremental, full = (
        before.of(side) * exp(_middle([*values, (common, _COMMON)]) if values else max(common, 0.0))
        for side, values in logs.items()
    )
    # The first refreshes of a process are slow for many reasons.
    is_told = len(logs[Action.INCREMENTAL]) >= SAMPLES and not logs[Action.FULL]
    return Estimate(incremental, min([full, *(fills(history) if is_told else ())]))


def fills(history: Sequence[Refresh]) -> list[float]:
    """What making the table took, if that is remembered."""
    return [past.seconds for past in history if past.reason == FILL]


def ratios(history: Sequence[Refresh], side: Action) -> list[float]:
    """What past refreshes of one side took, less what they did once for those after them, over their priors."""
    return [
        max(past.seconds - past.measures.get(STATE_MADE, 0), 1e-3) / past.measures[PRIORS[side]]
        for past in history
        if past.action is side and past.version is not None and PRIORS[side] in past.measures
    ]


def _middle(values: Sequence[tuple[float, float]]) -> float:
    """The median of weighted values: what one slow refresh took does not move it."""
    ordered = sorted(values)
    reached = list(accumulate(weight for _, weight in ordered))
    return next(
        value for (value, _), sum_ in zip(ordered, reached, strict=True) if sum_ >= reached[-1] / 2
    )
