"""What a refresh will take, either way: priors by the shape of the query, corrected by the table's own history.

    incremental = fixed + queries · per query + changed rows · per changed row + scanned rows · per scanned row
    recompute   = fixed + source rows · passes · per scanned row + result rows · per compared row

The priors are rough seconds of a machine with two cores; only their proportions matter, because what past refreshes
took over what had been estimated corrects each side: the median counts, in which samples weigh less with each that
came later. A side without samples borrows the correction of the other: a machine that is slow for the one is slow for
both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import exp, log
from typing import TYPE_CHECKING, Any

from streamtables.model import Action
from streamtables.plan import nodes as n
from streamtables.plan.walk import children, every, sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import Refresh
    from streamtables.refresh.engine import Work

_FIXED = {Action.INCREMENTAL: 0.15, Action.FULL: 0.5}
_PER_QUERY = 0.25
_PER_CHANGED = 20e-6
_PER_SCANNED = 0.15e-6
_PER_COMPARED = 1e-6
_LINEAR = (n.Scan, n.Filter, n.Project, n.UnionAll, n.Generate, n.OneRow, n.Constant)
# Operators whose touched rows or groups are read again, for which Spark needs a query of its own.
_REGROUPED = (
    n.Aggregate,
    n.Window,
    n.Match,
    n.Fixpoint,
    n.Distinct,
    n.Union,
    n.Intersect,
    n.Except,
)

# What each later sample leaves of a sample's weight, the weight of what both sides have in common, and of a first fill.
_DECAY, _COMMON, _COLD = 0.8, 0.5, 0.3
# Names of what history keeps.
CHANGED, SOURCE, RESULT = "source_rows_changed", "source_rows", "result_rows"
STATE_MADE, FILL = "state_made_s", "FIRST_FILL"
ESTIMATES = {
    Action.INCREMENTAL: "estimate_incremental",
    Action.FULL: "estimate_full",
}


@dataclass(frozen=True, slots=True)
class Load:
    """What a refresh has before it: rows changed, rows of the sources, rows of the result."""

    changed: int
    source: int
    result: int

    @classmethod
    def of(cls, work: Work[Any]) -> Load:
        """What a refresh under way has before it."""
        return cls(sum(work.changed_rows().values()), *work.sizes())


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds either way."""

    incremental: float
    full: float

    def of(self, action: Action) -> float:
        """The seconds of one of them."""
        return self.incremental if action is Action.INCREMENTAL else self.full

    def measures(self) -> dict[str, float]:
        """As history keeps it."""
        return {name: round(self.of(action), 4) for action, name in ESTIMATES.items()}


def prior(plan: n.Node, load: Load) -> Estimate:
    """The estimate before anything is known of the table but its query."""
    nodes = list(every(plan))
    regrouped = sum(isinstance(node, _REGROUPED) for node in nodes)
    joined = sum(len(children(node)) - 1 for node in nodes if isinstance(node, n.Join))
    is_linear = all(isinstance(node, _LINEAR) for node in nodes)
    queries = max(1, regrouped + joined)
    # A source that is read several times is scanned several times; linear plans scan only what changed.
    scans = sum(isinstance(node, n.Scan) for node in nodes) / max(1, len(sources(plan)))
    scanned = 0 if is_linear else load.source * scans
    incremental = (
        _FIXED[Action.INCREMENTAL]
        + _PER_QUERY * queries
        + _PER_CHANGED * load.changed
        + _PER_SCANNED * scanned
    )
    passes = scans * (1 + regrouped + joined)
    compared = _PER_COMPARED * load.result
    full = _FIXED[Action.FULL] + _PER_SCANNED * passes * load.source + compared
    return Estimate(incremental, full)


def estimate(plan: n.Node, load: Load, history: Sequence[Refresh]) -> Estimate:
    """The prior, corrected by what past refreshes (newest first) took over their own priors."""
    logs = {
        side: [
            (log(_seconds(past) / prior(plan, _load_of(past, load)).of(side)), weight)
            for past, weight in samples(history, side)
        ]
        for side in ESTIMATES
    }
    found = [(value, 1.0) for values in logs.values() for value, _ in values]
    common = (_middle(found), _COMMON) if found else (0.0, 1.0)
    before = prior(plan, load)
    incremental, full = (
        before.of(side) * exp(_middle([*values, common])) for side, values in logs.items()
    )
    return Estimate(incremental, full)


def samples(history: Sequence[Refresh], side: Action) -> list[tuple[Refresh, float]]:
    """The past refreshes that tell of one side, newest first, each with its weight.

    Filling the table is a recompute like another, but often the first thing that a cold Spark does.
    """
    known = [
        past
        for past in history
        if past.action is side
        and past.version is not None
        and (CHANGED in past.measures or past.reason == FILL)
    ]
    return [
        (past, _DECAY**age * (_COLD if past.reason == FILL else 1))
        for age, past in enumerate(known)
    ]


def _seconds(past: Refresh) -> float:
    """What a refresh took, less what it did once for those after it."""
    return max(past.seconds - past.measures.get(STATE_MADE, 0), 1e-3)


def _load_of(past: Refresh, now: Load) -> Load:
    """The load that a past refresh had; where it noted none, the sources as they are now."""
    noted = past.measures
    return Load(
        int(noted.get(CHANGED, 0)),
        int(noted.get(SOURCE, now.source)),
        int(noted.get(RESULT, past.rows_inserted)),
    )


def _middle(values: Sequence[tuple[float, float]]) -> float:
    """The median of weighted values: what one slow refresh took does not move it."""
    ordered = sorted(values)
    reached = list(accumulate(weight for _, weight in ordered))
    return next(
        value for (value, _), sum_ in zip(ordered, reached, strict=True) if sum_ >= reached[-1] / 2
    )
