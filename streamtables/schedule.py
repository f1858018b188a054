"""When a stream table is to be refreshed, as text: checked here, followed by the scheduler."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from streamtables.cron import Cron
from streamtables.errors import InvalidSchedule

Kind = Literal["duration", "cron", "downstream", "on change"]

_DURATION = re.compile(r"(?:\d+(?:ms|d|h|m|s)\s*)+")
_PART = re.compile(r"(\d+)(ms|d|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@midnight": "0 0 * * *",
}


@lru_cache(maxsize=4096)
def parse_schedule(text: str | None) -> tuple[Kind, str] | None:
    """The kind of a schedule and what it says; None for a table that is refreshed by hand.

    >>> parse_schedule("1h30m"), parse_schedule("@hourly"), parse_schedule("on change")
    (('duration', '5400.0'), ('cron', '0 * * * *'), ('on change', ''))
    """
    if text is None:
        return None
    plain = " ".join(text.lower().split())
    if plain in ("downstream", "on change"):
        return ("downstream" if plain == "downstream" else "on change"), ""
    if _DURATION.fullmatch(plain):
        seconds = sum(int(count) * _SECONDS[unit] for count, unit in _PART.findall(plain))
        if seconds > 0:
            return "duration", str(float(seconds))
    cron, why = _NAMED.get(plain, plain), ""
    if len(cron.split()) == 5:
        try:
            Cron.parse(cron)
        except ValueError as error:
            why = f": {error}"
        else:
            return "cron", cron
    raise InvalidSchedule(
        f"{text!r} is not a schedule{why}",
        hint="Write a duration ('30s', '1h30m'), a cron line ('0 * * * *', '@hourly'), 'DOWNSTREAM', 'ON CHANGE', "
        "or None to refresh by hand.",
    )
