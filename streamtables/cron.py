"""Cron lines: the moments that the five fields name, in a time zone.

A time that the clocks pass over in spring comes later by what they pass over; one that they show twice in autumn comes
once. Lines for every hour go by time that passes, and neither skip nor wait on those nights.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_MONTHS = {name: number for number, name in enumerate(
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
)}  # fmt: skip
_WEEKDAYS = {
    name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))
}
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PART = re.compile(r"(\*|(\w+)(?:-(\w+))?)(?:/(\d+))?")
_DAY = timedelta(days=1)
# 29 February is away for eight years at most.
_FAR = timedelta(days=366 * 8 + 2)


@dataclass(frozen=True, eq=False)
class Cron:
    """A cron line, read: the numbers that each field allows."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_any_hour: bool
    is_either_day: bool  # with both kinds of day given, one of them is enough

    @classmethod
    @lru_cache(maxsize=4096)
    def parse(cls, line: str) -> Cron:
        """Read the five fields: minute, hour, day of the month, month, day of the week.

        Raises:
            ValueError: they name no moment.
        """
        minute, hour, day, month, weekday = line.lower().split()
        cron = cls(
            minutes=_numbers(minute, 0, 59),
            hours=_numbers(hour, 0, 23),
            days=frozenset(_numbers(day, 1, 31)),
            months=frozenset(_numbers(month, 1, 12, _MONTHS)),
            weekdays=frozenset(number % 7 for number in _numbers(weekday, 0, 7, _WEEKDAYS)),
            is_any_hour=hour == "*",
            is_either_day=not (day.startswith("*") or weekday.startswith("*")),
        )
        is_a_date = any(min(cron.days) <= _LENGTHS[number - 1] for number in cron.months)
        if not cron.is_either_day and not is_a_date:
            raise ValueError(f"no month of {month} has a day {day}")
        return cron

    def last(self, now: datetime, zone: ZoneInfo) -> datetime:
        """The newest of its moments, now included."""
        day = now.astimezone(zone).date() + _DAY
        for back in range(_FAR.days):
            found = _moments_near(self, day - back * _DAY, zone)
            if found and found[0] <= now:
                return found[bisect_right(found, now) - 1]
        raise AssertionError("a cron line has a moment in any eight years")

    def next(self, now: datetime, zone: ZoneInfo) -> datetime:
        """The first of its moments after now."""
        day = now.astimezone(zone).date() - _DAY
        for ahead in range(_FAR.days):
            found = _moments_near(self, day + ahead * _DAY, zone)
            if found and found[-1] > now:
                return found[bisect_right(found, now)]
        raise AssertionError("a cron line has a moment in any eight years")

    def is_on(self, day: date) -> bool:
        """Whether it has moments on a day."""
        is_day, is_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        is_on = (is_day or is_weekday) if self.is_either_day else (is_day and is_weekday)
        return is_on and day.month in self.months


@lru_cache(maxsize=65536)
def _moments_near(cron: Cron, day: date, zone: ZoneInfo) -> tuple[datetime, ...]:
    """The moments of a local day and of its neighbours, into which clocks may have moved some; in order, in UTC."""
    near = (day - _DAY, day, day + _DAY)
    return tuple(sorted({moment for one in near for moment in _moments(cron, one, zone)}))


def _moments(cron: Cron, day: date, zone: ZoneInfo) -> set[datetime]:
    found: set[datetime] = set()
    if not cron.is_on(day):
        return found
    for hour in cron.hours:
        for minute in cron.minutes:
            local = datetime.combine(day, time(hour, minute))
            first, second = (
                local.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1)
            )
            if not cron.is_any_hour:
                # A time that the clocks pass over comes later by as much as they pass over.
                found.add(first)
            elif first.astimezone(zone).replace(tzinfo=None) == local:
                found |= {first, second}
    return found


def _numbers(
    field: str, least: int, most: int, names: dict[str, int] | None = None
) -> tuple[int, ...]:
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no number, range or step")
        every, low, high, step = match.groups()
        if every == "*":
            first, last = least, most
        else:
            first = _number(low, least, most, names)
            # "5/15" is from 5 on, as most crons read it.
            last = _number(high, least, most, names) if high else (most if step else first)
        if first > last or step == "0":
            raise ValueError(f"{part!r} is an empty range")
        found.update(range(first, last + 1, int(step or 1)))
    return tuple(sorted(found))


def _number(text: str, least: int, most: int, names: dict[str, int] | None) -> int:
    number = int(text) if text.isdigit() else (names or {}).get(text)
    if number is None or not least <= number <= most:
        raise ValueError(f"{text!r} is not between {least} and {most}")
    return number
