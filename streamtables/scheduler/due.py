"""Which stream tables are due: a pure function of what is known of them and of the clock.

    with ticks     its newest tick is younger than its newest attempt; ticks missed meanwhile count as one
    ON CHANGE      a base table behind it has moved
    DOWNSTREAM     never by itself: whoever reads it takes it along
    by hand        likewise
    after failures it is tried again after pauses that double, then at its ticks

Nothing is due while it runs, or while what it reads runs or waits out a pause.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from streamtables.model import Status
from streamtables.schedule import parse_schedule
from streamtables.ticks import missed, ticks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from streamtables.ticks import Ticks


@dataclass(frozen=True)
class Rules:
    """What the settings say."""

    zone: str = "UTC"
    jitter_s: float = 0.0
    tries: int = 5
    first_pause_s: float = 1.0
    longest_pause_s: float = 300.0


@dataclass(frozen=True)
class Known:
    """What is known of a stream table."""

    key: str
    schedule: str | None
    tried_at: datetime
    """When its newest attempt began."""
    upstream: Set[str] = frozenset()
    """The stream tables that it reads, directly or not."""
    graph: str = ""
    """The name of the graph that it is part of: its tables share their jitter, so that they meet."""
    status: Status = Status.ACTIVE
    failures: int = 0
    """How many attempts have failed since the last that did not."""
    is_held_back: bool = False
    """Whether its newest attempt was skipped, as what it reads was paused."""
    has_news: bool = False
    """Whether a base table behind it has moved; asked for ON CHANGE only."""


@dataclass(frozen=True)
class Due:
    """A table to refresh: since which tick, and how many ticks before that had no refresh of their own."""

    key: str
    tick: datetime
    missed: int = 0


def due(
    tables: Iterable[Known], now: datetime, rules: Rules, running: Set[str] = frozenset()
) -> list[Due]:
    """The tables to refresh now."""
    by_key = {table.key: table for table in tables}
    waiting = {key for key, table in by_key.items() if _waits(table, now, rules)} | running
    found = (
        _due(table, now, rules)
        for table in by_key.values()
        if table.status is Status.ACTIVE
        and table.key not in waiting
        and not table.upstream & waiting
    )
    return [one for one in found if one is not None]


def ticks_for(table: Known, rules: Rules) -> Ticks | None:
    """The ticks of a table."""
    return ticks_of(table.schedule, rules.zone, rules.jitter_s, table.graph)


def pause_s(failures: int, rules: Rules) -> float:
    """How long to wait after so many failures in a row.

    >>> [pause_s(n, Rules()) for n in (0, 1, 2, 3, 6)]
    [0.0, 1.0, 2.0, 4.0, 300.0]
    """
    if failures == 0:
        return 0.0
    if failures > rules.tries:
        return rules.longest_pause_s
    return min(rules.first_pause_s * 2.0 ** (failures - 1), rules.longest_pause_s)


def graphs(reads: Mapping[str, Set[str]]) -> dict[str, str]:
    """For each table the name of its graph: the least key of all that hang together with it."""
    name = {key: key for key in reads}

    def root(key: str) -> str:
        while name[key] != key:
            key = name[key]
        return key

    for key, others in reads.items():
        for other in others & name.keys():
            first, second = sorted((root(key), root(other)))
            name[second] = first
    return {key: root(key) for key in name}


def _waits(table: Known, now: datetime, rules: Rules) -> bool:
    """Whether it waits out a pause; a clock that was set back ends it."""
    pause = timedelta(seconds=pause_s(table.failures, rules))
    return table.tried_at <= now < table.tried_at + pause


def _due(table: Known, now: datetime, rules: Rules) -> Due | None:
    kind = (parse_schedule(table.schedule) or ("downstream", ""))[0]
    if kind == "downstream":
        return None
    if 0 < table.failures <= rules.tries:
        return Due(table.key, now)  # its pause is over
    ticks = ticks_for(table, rules)
    if ticks is not None:
        tick = ticks.last(now)
        if table.tried_at < tick:
            return Due(table.key, tick, missed(ticks, table.tried_at, tick))
        # Tried in what is the future now: the clock was set back by more than a period.
        return Due(table.key, now) if table.tried_at > ticks.next(now) else None
    rest = timedelta(seconds=rules.longest_pause_s if table.is_held_back else 0)
    is_resting = table.tried_at <= now < table.tried_at + rest
    return Due(table.key, now) if table.has_news and not is_resting else None
