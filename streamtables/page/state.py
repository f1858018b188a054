"""How a stream table is doing, from its definition and its last refreshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.model import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from streamtables.model import Refresh, StreamTable

GOOD, LATE, BAD, OFF, NEW = "good", "late", "bad", "off", "new"
WORDS = {GOOD: "fresh", LATE: "late", BAD: "failing", OFF: "paused", NEW: "never refreshed"}


@dataclass(frozen=True)
class State:
    """What a colour and a few words say of a stream table."""

    kind: str
    words: str
    fresh_at: datetime | None
    """The moment up to which everything is in."""
    error: str | None


def state_of(
    table: StreamTable, history: Sequence[Refresh], status: Mapping[str, Any], now: datetime
) -> State:
    """The state of a stream table by its last refreshes, newest first, and its row of the status."""
    fresh_at: datetime | None = status["data_timestamp"]
    last = history[0] if history else None
    lag = f"{age((now - fresh_at).total_seconds())} ago" if fresh_at else "never refreshed"
    if table.status is Status.SUSPENDED:
        error = table.message or (last.error if last else None)
        return State(BAD, f"suspended · {lag}", fresh_at, error)
    if last is not None and last.action.is_failure:
        return State(BAD, f"{last.action.value} · {lag}", fresh_at, last.error or table.message)
    if table.status is Status.PAUSED:
        return State(OFF, f"paused · {lag}", fresh_at, table.message)
    if fresh_at is None:
        return State(NEW, lag, None, table.message)
    return State(LATE if status["is_late"] else GOOD, lag, fresh_at, table.message)


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
