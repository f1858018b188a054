"""How to refresh, and why: a value one can print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.model import Action, RefreshMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.errors import UnsupportedQuery

# Above this share of changed rows a full recompute is taken to be cheaper.
LARGE_CHANGE = 0.3
# So few changed rows are never weighed: counting the sources would cost more than it can tell.
SMALL_CHANGE = 10_000

# Reason code: what it says of a refresh.
REASONS = {
    "FIRST_FILL": "the table was made",
    "NO_CHANGE": "no source has a new version",
    "NO_NET_CHANGE": "the sources were written, but no row that the query reads changed",
    "CHANGE_SMALL": "few rows changed, so only the change was applied",
    "CHANGE_LARGE": "so many rows changed that recomputing is cheaper",
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
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a refresh will do, its reason code, and words with the numbers behind it."""

    action: Action
    reason: str
    detail: str | None = None


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


def choose_by_size(changed_rows: int, source_rows: Callable[[], int]) -> Decision:
    """The decision of AUTO: by the share of the sources' rows that changed."""
    if changed_rows > SMALL_CHANGE:
        rows = source_rows()
        if changed_rows > LARGE_CHANGE * rows:
            share = f"{changed_rows:,} of {rows:,} rows changed"
            return Decision(Action.FULL, "CHANGE_LARGE", share)
    return Decision(Action.INCREMENTAL, "CHANGE_SMALL", f"{changed_rows:,} rows changed")


def must_run(decision: Decision | None, is_full_asked: bool) -> bool:
    """Whether a refresh has work to do even if no source moved."""
    return decision is not None and (
        is_full_asked
        or decision.reason == "TIME_DEPENDENT"
        or decision.action is Action.REINITIALIZE
    )
