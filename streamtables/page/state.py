"""How a stream table is doing, from its definition and its last refreshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.model import Action, Status
from streamtables.schedule import parse_schedule

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from streamtables.model import Refresh, StreamTable

GOOD, LATE, BAD, OFF, NEW = "good", "late", "bad", "off", "new"
WORDS = {GOOD: "fresh", LATE: "late", BAD: "failing", OFF: "paused", NEW: "never refreshed"}
_FAILED = (Action.FAILED, Action.UPSTREAM_FAILED)
_ASIDE = (*_FAILED, Action.SKIPPED)


@dataclass(frozen=True)
class State:
    """What a colour and a few words say of a stream table."""

    kind: str
    words: str
    fresh_at: datetime | None
    """When the newest attempt began that took everything in."""
    error: str | None


def state_of(table: StreamTable, history: Sequence[Refresh], now: datetime) -> State:
    """The state of a stream table by its last refreshes, newest first."""
    fresh_at = next((one.started_at for one in history if one.action not in _ASIDE), None)
    last = history[0] if history else None
    lag = f"{age((now - fresh_at).total_seconds())} ago" if fresh_at else "never refreshed"
    if table.status is Status.SUSPENDED:
        error = table.message or (last.error if last else None)
        return State(BAD, f"suspended · {lag}", fresh_at, error)
    if last is not None and last.action in _FAILED:
        return State(BAD, f"{last.action.value} · {lag}", fresh_at, last.error or table.message)
    if table.status is Status.PAUSED:
        return State(OFF, f"paused · {lag}", fresh_at, table.message)
    if fresh_at is None:
        return State(NEW, lag, None, table.message)
    kind = LATE if _is_late(table.schedule, (now - fresh_at).total_seconds()) else GOOD
    return State(kind, lag, fresh_at, table.message)


def _is_late(schedule: str | None, lag_s: float) -> bool:
    """Whether two periods went by without a refresh: one may be under way."""
    kind, text = parse_schedule(schedule) or ("", "")
    return kind == "duration" and lag_s > 2 * float(text)


def age(seconds: float) -> str:
    """A time in its two greatest units.

    >>> age(0.4), age(75), age(3 * 86400 + 7200)
    ('0s', '1m 15s', '3d 2h')
    """
    left = max(int(seconds), 0)
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2]) or "0s"
