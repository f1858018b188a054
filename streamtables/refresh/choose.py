"""How to refresh, and why: a value one can print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamtables.errors import StreamTablesError
from streamtables.model import Action, RefreshMode
from streamtables.refresh.change import delta_of
from streamtables.refresh.cost import (
    ESTIMATES,
    FILL,
    PRIORS,
    SAMPLES,
    Load,
    estimate,
    fills,
    prior,
    ratios,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.catalog.base import Catalog
    from streamtables.errors import UnsupportedQuery
    from streamtables.model import Refresh, StreamTable
    from streamtables.refresh.cost import Estimate
    from streamtables.refresh.engine import Work
    from streamtables.sql.compile import Compiled

# Above this share of changed rows a full recompute is taken to be cheaper.
LARGE_CHANGE = 0.3
# So few changed rows are never a large share, whatever the sources hold.
SMALL_CHANGE = 10_000
# Over sources of so few rows either way is mostly fixed cost, and only the change itself is applied.
SMALL_SOURCE = 10_000
# A way has to be so much cheaper than the one last taken; more so while estimates are little but priors.
LEAD, FIRST_LEAD = 0.8, 0.5
# After so many refreshes of one kind the other is tried again, if it is estimated to be not much dearer.
PROBE_EVERY, PROBE_WITHIN = 20, 1.5
# Recomputing is tried once where making the table took less than so many refreshes.
FILL_WITHIN = 1.5
# Refreshes that are looked back on.
REMEMBERED = 40

# Reason code: what it says of a refresh.
REASONS = {
    "FIRST_FILL": "the table was made",
    "NO_CHANGE": "no source has a new version",
    "NO_NET_CHANGE": "the sources were written, but no row that the query reads changed",
    "CHANGE_SMALL": "applying only the change is the cheaper way",
    "CHANGE_LARGE": "so many rows changed that recomputing is cheaper",
    "RECOMPUTE_CHEAPER": "by what refreshes of this table take, recomputing is cheaper",
    "COST_PROBE": "the way not taken for long, or never, was tried, to know what it costs",
    "MODE_INCREMENTAL": "the table's refresh_mode is INCREMENTAL",
    "MODE_FULL": "the table's refresh_mode is FULL",
    "REQUESTED_FULL": "a full refresh was asked for",
    "SOURCE_REPLACED": "a source was dropped and made again, or replaced",
    "SOURCE_SCHEMA_CHANGED": "a column of a source that the query reads changed",
    "SOURCE_HISTORY_LOST": "versions of a source between the last refresh and now are gone",
    "RESULT_CHANGED": "somebody else wrote to the stream table",
    "VIEW_CHANGED": "a view that the query reads was defined anew",
    "QUERY_CHANGED": "the stream table's query was altered",
    "REINITIALIZE_ASKED": "a new beginning was asked for",
    "PAUSED": "the table is paused",
    "SUSPENDED": "the table is suspended since a failure that time does not cure",
    "TICKS_MISSED": "ticks went by without a refresh of their own: one makes up for all",
    "UPSTREAM_PAUSED": "a stream table that this one reads was kept back",
    "UPSTREAM_FAILED": "a stream table that this one reads failed or is suspended",
    "ALREADY_REFRESHED": "another process refreshed the table meanwhile",
    "UNEXPECTED": "Spark, Python or a disk failed: the error says how",
}
_BY_COST = ("CHANGE_LARGE", "RECOMPUTE_CHEAPER", "COST_PROBE")


def reason_of(error: Exception) -> str:
    """The reason code of a failure: the name of an error of ours, which the reference explains, or UNEXPECTED."""
    return type(error).__name__ if isinstance(error, StreamTablesError) else "UNEXPECTED"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a refresh will do, its reason code, and words with the numbers behind it."""

    action: Action
    reason: str
    detail: str | None = None
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_by_cost(self) -> bool:
        """Whether it recomputes only because that is cheaper."""
        return self.action is Action.FULL and self.reason in _BY_COST

    @property
    def is_probe(self) -> bool:
        """Whether it recomputes only to know what that costs: the next refreshes may well not."""
        return self.action is Action.FULL and self.reason == "COST_PROBE"


def choose(
    mode: RefreshMode,
    refusal: UnsupportedQuery | None,
    *,
    is_full_asked: bool = False,
    broken: tuple[str, str] | None = None,
) -> Decision | None:
    """The decision, as far as it can be made before the changes are read; None where they decide."""
    if broken:
        return Decision(Action.REINITIALIZE, *broken)
    if is_full_asked:
        return Decision(Action.FULL, "REQUESTED_FULL")
    if mode is RefreshMode.FULL:
        return Decision(Action.FULL, "MODE_FULL")
    if refusal is not None:
        return Decision(Action.FULL, refusal.reason, refusal.message)
    if mode is RefreshMode.INCREMENTAL:
        return Decision(Action.INCREMENTAL, "MODE_INCREMENTAL")
    return None


def choose_way(
    table: StreamTable, compiled: Compiled, work: Work[Any], catalog: Catalog
) -> Decision:
    """The decision of AUTO, when the changes are read."""
    assert compiled.plan is not None, "what has no plan is recomputed without a look at its changes"
    load = Load.of(work)
    before = prior(compiled.plan, delta_of(table, compiled, work), load)
    return choose_by_cost(before, load, catalog.history(table.id, REMEMBERED, written=True))


def choose_by_cost(before: Estimate, load: Load, history: Sequence[Refresh]) -> Decision:
    """The decision of AUTO, by the estimates of both ways; `history` has the table's own writes, newest first."""
    known = estimate(before, history)
    measures = {**before.measures(PRIORS), **known.measures(ESTIMATES)}
    changed = f"{load.changed:,} rows changed"
    if load.changed > SMALL_CHANGE and load.changed > LARGE_CHANGE * load.source:
        share = f"{load.changed:,} of {load.source:,} rows changed"
        return Decision(Action.FULL, "CHANGE_LARGE", share, measures)
    if load.source < SMALL_SOURCE:
        return Decision(Action.INCREMENTAL, "CHANGE_SMALL", changed, measures)
    way, reason = _way(known, history)
    words = f"about {known.incremental:.2f} s to apply them, {known.full:.2f} s to recompute"
    return Decision(way, reason, f"{changed}: {words}", measures)


def _way(known: Estimate, history: Sequence[Refresh]) -> tuple[Action, str]:
    """The cheaper way, with a lead for the one that was last taken: switching back and forth gains nothing."""
    ways = [past.action for past in history if past.version is not None]
    last = Action.FULL if ways and _was_by_cost(history) else Action.INCREMENTAL
    other = Action.INCREMENTAL if last is Action.FULL else Action.FULL
    lead = LEAD if len(ratios(history, Action.INCREMENTAL)) >= SAMPLES else FIRST_LEAD
    way = other if known.of(other) < lead * known.of(last) else last
    loser = Action.INCREMENTAL if way is Action.FULL else Action.FULL
    is_stale = len(ways) >= PROBE_EVERY and loser not in ways[:PROBE_EVERY]
    if is_stale and known.of(loser) < PROBE_WITHIN * known.of(way):
        return loser, "COST_PROBE"
    if way is Action.INCREMENTAL and _was_filled_faster(known, history):
        return loser, "COST_PROBE"
    return way, "CHANGE_SMALL" if way is Action.INCREMENTAL else "RECOMPUTE_CHEAPER"


def _was_filled_faster(known: Estimate, history: Sequence[Refresh]) -> bool:
    """Whether the table was made in not much more time than refreshing it takes, and nobody has recomputed it since.

    Making it is mostly the first that a process does, and recomputing it is quicker then.
    """
    is_tried = any(past.action is Action.FULL and past.reason != FILL for past in history)
    is_known = len(ratios(history, Action.INCREMENTAL)) >= SAMPLES
    is_near = any(fill < FILL_WITHIN * known.incremental for fill in fills(history))
    return is_known and not is_tried and is_near


def _was_by_cost(history: Sequence[Refresh]) -> bool:
    """Whether the last refresh that was decided by cost recomputed; a probe does not count."""
    reasons = (
        past.reason for past in history if past.reason in ("CHANGE_SMALL", "RECOMPUTE_CHEAPER")
    )
    return next(reasons, None) == "RECOMPUTE_CHEAPER"


def must_run(decision: Decision | None, is_full_asked: bool) -> bool:
    """Whether a refresh has work to do even if no source moved."""
    return decision is not None and (
        is_full_asked
        or decision.reason == "TIME_DEPENDENT"
        or decision.action is Action.REINITIALIZE
    )
