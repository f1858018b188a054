"""Cron lines: what they name, and the nights on which clocks are changed."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamtables.cron import Cron

VIENNA, UTC = ZoneInfo("Europe/Vienna"), ZoneInfo("UTC")


def local(text: str, zone: ZoneInfo = VIENNA) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def shown(line: str, start: str, count: int, zone: ZoneInfo = VIENNA) -> list[str]:
    cron, now, found = Cron.parse(line), local(start, zone), []
    for _ in range(count):
        now = cron.next(now, zone)
        found.append(now.astimezone(zone).isoformat(timespec="minutes"))
    return found


@pytest.mark.parametrize(
    ("line", "start", "found"),
    [
        ("*/20 * * * *", "2026-01-01T00:05", ["2026-01-01T00:20", "2026-01-01T00:40"]),
        ("0 9-17/4 * * mon-fri", "2026-01-02T14:00", ["2026-01-02T17:00", "2026-01-05T09:00"]),
        ("0 0 29 feb *", "2026-01-01T00:00", ["2028-02-29T00:00", "2032-02-29T00:00"]),
        ("0 0 13 * fri", "2026-01-08T00:00", ["2026-01-09T00:00", "2026-01-13T00:00"]),
        ("30 6 1,15 * *", "2026-01-31T00:00", ["2026-02-01T06:30", "2026-02-15T06:30"]),
        ("0 12 * * 7", "2026-01-01T00:00", ["2026-01-04T12:00", "2026-01-11T12:00"]),
        ("5/25 3 * * *", "2026-01-01T03:05", ["2026-01-01T03:30", "2026-01-01T03:55"]),
    ],
)
def test_fields(line: str, start: str, found: list[str]) -> None:
    assert [text[:16] for text in shown(line, start, len(found), UTC)] == found


def test_in_spring_a_time_that_is_passed_over_comes_later() -> None:
    assert shown("30 2 * * *", "2026-03-28T12:00", 2) == [
        "2026-03-29T03:30+02:00",
        "2026-03-30T02:30+02:00",
    ]
    assert shown("0,30 2,3 * * *", "2026-03-29T00:00", 3) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:30+02:00",
        "2026-03-30T02:00+02:00",
    ]


def test_in_autumn_a_time_that_comes_twice_counts_once() -> None:
    assert shown("30 2 * * *", "2026-10-25T00:00", 2) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_every_hour_goes_by_time_that_passes() -> None:
    spring = shown("30 * * * *", "2026-03-29T01:00", 3)
    assert [text[11:] for text in spring] == ["01:30+01:00", "03:30+02:00", "04:30+02:00"]
    autumn = shown("30 * * * *", "2026-10-25T02:00", 3)
    assert [text[11:] for text in autumn] == ["02:30+02:00", "02:30+01:00", "03:30+01:00"]


def test_a_midnight_that_does_not_exist() -> None:
    cairo = ZoneInfo("Africa/Cairo")
    assert shown("0 0 * * *", "2026-04-23T12:00", 2, cairo) == [
        "2026-04-24T01:00+03:00",
        "2026-04-25T00:00+03:00",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "60 * * * *",
        "* 24 * * *",
        "0 0 30 feb *",
        "0 0 0 * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "0 0 * * mun",
    ],
)
def test_what_names_no_moment(line: str) -> None:
    with pytest.raises(ValueError, match=r"between|empty|no month"):
        Cron.parse(line)


@given(
    st.sampled_from(
        ["*/7 * * * *", "15 2 * * *", "0 */3 * * *", "0 0 * * *", "30 1,2,3 * * sun", "59 23 31 * *"]
    ),
    st.sampled_from(["UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe"]),
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1)),
)  # fmt: skip
def test_last_and_next_agree(line: str, zone: str, naive: datetime) -> None:
    cron, now, place = Cron.parse(line), naive.replace(tzinfo=timezone.utc), ZoneInfo(zone)
    last, following = cron.last(now, place), cron.next(now, place)
    assert last <= now < following
    assert cron.last(following, place) == following
    assert cron.last(following - timedelta(microseconds=1), place) == last
    assert cron.next(last, place) == following
