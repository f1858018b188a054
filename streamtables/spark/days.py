"""Dates that a query writes: `CAST('1996-01-31' AS DATE)`, and what lies some days, weeks, months or years from one."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamtables.plan.expr import Expr

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS = {"DAY": 1, "WEEK": 7}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def written_day(expr: Expr) -> date | None:
    """A date that is written, or follows from one that is: months later the last day, if there is no such day."""
    sign, parts = expr.operation() or ("", ())
    if sign == "as DATE":
        text = parts[0].constant
        is_day = isinstance(text, str) and _DATE.fullmatch(text)
        return date.fromisoformat(text) if is_day and isinstance(text, str) else None
    unit, count = parts[1].operation() or ("", ()) if sign in ("+", "-") else ("", ())
    start = written_day(parts[0]) if unit.startswith("interval ") else None
    if start is None or not str(count[0].constant).isdecimal():
        return None
    much = int(str(count[0].constant)) * (1 if sign == "+" else -1)
    return _later(start, much, unit.removeprefix("interval "))


def _later(start: date, much: int, unit: str) -> date | None:
    try:
        if unit in _DAYS:
            return start + timedelta(much * _DAYS[unit])
        if unit not in _MONTHS:
            return None
        year, month = divmod(start.year * 12 + start.month - 1 + much * _MONTHS[unit], 12)
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(start.day, last))
    except (
        ValueError,
        OverflowError,
    ):  # a day that Python has no value for, such as one in the year 10000
        return None
