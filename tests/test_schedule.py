"""Schedules as text."""

from __future__ import annotations

import pytest

from streamtables.errors import InvalidSchedule
from streamtables.schedule import parse_schedule


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, None),
        ("30s", ("duration", "30.0")),
        ("1h30m", ("duration", "5400.0")),
        ("2d 12h", ("duration", "216000.0")),
        ("@daily", ("cron", "0 0 * * *")),
        ("*/5 9-17 * * mon-fri", ("cron", "*/5 9-17 * * mon-fri")),
        ("0,30 * 1 jan,jul *", ("cron", "0,30 * 1 jan,jul *")),
        ("DOWNSTREAM", ("downstream", "")),
        ("On  Change", ("on change", "")),
    ],
)
def test_what_is_a_schedule(text: str | None, found: tuple[str, str] | None) -> None:
    assert parse_schedule(text) == found


@pytest.mark.parametrize(
    "text", ["", "5", "0s", "5 minutes ago", "* * *", "every monday", "1h30", "-5m"]
)
def test_what_is_not(text: str) -> None:
    with pytest.raises(InvalidSchedule, match="Write a duration"):
        parse_schedule(text)
