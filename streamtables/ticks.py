"""The moments at which a schedule is due: its ticks, a pure function of the clock."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from streamtables.cron import Cron
from streamtables.errors import InvalidSettings
from streamtables.schedule import parse_schedule

_START = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MOMENT = timedelta(microseconds=1)
# So many missed ticks are counted; more are too many to matter.
MOST_MISSED = 1000


class Ticks(Protocol):
    """The ticks of one schedule."""

    def last(self, now: datetime) -> datetime:
        """The newest tick, now included."""

    def next(self, now: datetime) -> datetime:
        """The first tick after now."""


@dataclass(frozen=True)
class Every:
    """Ticks at all multiples of a time since 1970, so that tables of one period meet, and none drifts."""

    period: timedelta

    def last(self, now: datetime) -> datetime:
        """The newest tick, now included."""
        return now - (now - _START) % self.period

    def next(self, now: datetime) -> datetime:
        """The first tick after now."""
        return self.last(now) + self.period


@dataclass(frozen=True)
class CronTicks:
    """The moments of a cron line in a time zone."""

    cron: Cron
    zone: ZoneInfo

    def last(self, now: datetime) -> datetime:
        """The newest tick, now included."""
        return self.cron.last(now, self.zone)

    def next(self, now: datetime) -> datetime:
        """The first tick after now."""
        return self.cron.next(now, self.zone)


@dataclass(frozen=True)
class Later:
    """Other ticks, each later by the same time."""

    ticks: Ticks
    by: timedelta

    def last(self, now: datetime) -> datetime:
        """The newest tick, now included."""
        return self.ticks.last(now - self.by) + self.by

    def next(self, now: datetime) -> datetime:
        """The first tick after now."""
        return self.ticks.next(now - self.by) + self.by


@lru_cache(maxsize=16384)
def ticks_of(
    schedule: str | None, zone: str = "UTC", jitter_s: float = 0, name: str = ""
) -> Ticks | None:
    """The ticks of a schedule as text, later by a part of the jitter that the name decides; None if it has none.

    >>> ticks_of("1h").next(datetime(2026, 1, 1, 12, 30, tzinfo=timezone.utc)).hour
    13
    """
    parsed = parse_schedule(schedule)
    if parsed is None or parsed[0] in ("downstream", "on change"):
        return None
    kind, text = parsed
    is_cron = kind == "cron"
    ticks: Ticks = (
        CronTicks(Cron.parse(text), zone_of(zone))
        if is_cron
        else Every(timedelta(seconds=float(text)))
    )
    if not jitter_s:
        return ticks
    share = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return Later(ticks, timedelta(seconds=jitter_s * share))


def missed(ticks: Ticks, since: datetime, tick: datetime) -> int:
    """How many ticks lie between two moments, neither included; none are counted beyond `MOST_MISSED`."""
    if isinstance(ticks, Later):
        return missed(ticks.ticks, since - ticks.by, tick - ticks.by)
    count, at = 0, ticks.next(since)
    if isinstance(ticks, Every):
        return min(max((tick - at) // ticks.period, 0), MOST_MISSED)
    while at < tick and count < MOST_MISSED:
        count, at = count + 1, ticks.next(at)
    return count


def due_since(ticks: Ticks, now: datetime) -> datetime:
    """The tick before the last: a table without the data of that time is late, as a refresh may take until the next."""
    return ticks.last(ticks.last(now) - _MOMENT)


def target_s(schedule: str | None, now: datetime, zone: str = "UTC") -> float | None:
    """How old the data of a table may be now; None where no tick says it."""
    ticks = ticks_of(schedule, zone)
    return None if ticks is None else (now - due_since(ticks, now)).total_seconds()


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidSettings(
            f"There is no time zone {name!r}", hint="Write one such as UTC or Europe/Vienna."
        ) from None
