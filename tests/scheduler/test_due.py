"""What is due, on a clock of our own: years in seconds, nights of daylight saving, jumps and outages."""

from __future__ import annotations

import heapq
import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from streamtables.model import Status
from streamtables.scheduler.due import Due, Known, Rules, due, graphs, pause_s, ticks_for
from streamtables.ticks import MOST_MISSED, Later, due_since, missed, ticks_of

NOON = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
S, M, H, D = (timedelta(seconds=n) for n in (1, 60, 3600, 86400))
RULES = Rules()


def known(schedule: str | None = "5m", tried_at: datetime = NOON, **rest: Any) -> Known:
    return Known(rest.pop("key", "t"), schedule, tried_at, **rest)


def is_due(table: Known, now: datetime, rules: Rules = RULES) -> bool:
    return bool(due([table], now, rules))


def test_a_duration_is_due_once_per_period() -> None:
    assert not is_due(known(), NOON)
    assert not is_due(known(), NOON + 5 * M - S)
    assert due([known()], NOON + 5 * M, RULES) == [Due("t", NOON + 5 * M)]
    assert not is_due(known(tried_at=NOON + 5 * M), NOON + 9 * M)
    # An attempt that came late moves no later tick.
    assert is_due(known(tried_at=NOON + 9 * M), NOON + 10 * M)


def test_missed_ticks_are_one_and_are_counted() -> None:
    assert due([known()], NOON + H + S, RULES) == [Due("t", NOON + H, missed=11)]
    year = due([known("1s")], NOON + 365 * D, RULES)
    assert [one.missed for one in year] == [MOST_MISSED]
    ticks = ticks_of("@daily")
    assert ticks is not None
    assert missed(ticks, NOON, ticks.last(NOON + 4 * D)) == 3


def test_only_an_active_table_with_a_schedule_is_due_by_itself() -> None:
    late = NOON + D
    assert not is_due(known(status=Status.PAUSED), late)
    assert not is_due(known(status=Status.SUSPENDED), late)
    assert not is_due(known(None), late)
    assert not is_due(known("DOWNSTREAM"), late)
    assert not is_due(known(None, failures=1), late), "a refresh by hand is not tried again"


def test_on_change_needs_news() -> None:
    assert not is_due(known("ON CHANGE"), NOON + D)
    assert is_due(known("ON CHANGE", has_news=True), NOON)
    held = known("ON CHANGE", has_news=True, is_held_back=True)
    assert not is_due(held, NOON + 299 * S)
    assert is_due(held, NOON + 300 * S)


def test_nothing_is_due_while_it_or_what_it_reads_runs() -> None:
    b = known(key="b")
    d = known(key="d", upstream={"b"})
    later = NOON + H
    assert [one.key for one in due([b, d], later, RULES)] == ["b", "d"]
    assert due([b, d], later, RULES, running={"b"}) == []
    assert [one.key for one in due([b, d], later, RULES, running={"d"})] == ["b"]


def test_failures_are_tried_again_after_longer_pauses_then_at_ticks() -> None:
    daily = known("1d", failures=3)
    assert not is_due(daily, NOON + 3 * S)
    assert is_due(daily, NOON + 4 * S)
    assert not is_due(replace(daily, failures=6), NOON + H)
    assert is_due(replace(daily, failures=6), NOON + 12 * H)
    often = known("1s", failures=6)
    assert not is_due(often, NOON + 299 * S), "the pause goes before the tick"
    assert is_due(often, NOON + 300 * S)
    below = known("1s", key="d", upstream={"t"})
    assert due([often, below], NOON + 299 * S, RULES) == [], "it would fail for the same reason"


def test_pauses_double_up_to_the_longest() -> None:
    rules = Rules(tries=10, first_pause_s=2, longest_pause_s=60)
    assert [pause_s(n, rules) for n in range(8)] == [0, 2, 4, 8, 16, 32, 60, 60]


def test_a_clock_that_jumps() -> None:
    table = known()
    assert is_due(table, NOON + 3 * D), "forward: one refresh"
    assert not is_due(replace(table, tried_at=NOON + 3 * D), NOON + 3 * D + 4 * M)
    assert not is_due(table, NOON - S), "a second back: the tick has had its refresh"
    assert is_due(table, NOON - 3 * D), "days back: it must not wait for days"
    assert not is_due(replace(table, tried_at=NOON - 3 * D), NOON - 3 * D + S)
    assert is_due(known(failures=9), NOON - D), "nor wait out a pause that began in the future"


@pytest.mark.parametrize(
    ("schedule", "night", "count"),
    [
        ("30 2 * * *", datetime(2026, 3, 29), 1),
        ("30 2 * * *", datetime(2026, 10, 25), 1),
        ("30 * * * *", datetime(2026, 3, 29), 23),
        ("30 * * * *", datetime(2026, 10, 25), 25),
        ("1h", datetime(2026, 3, 29), 23),
        ("1h", datetime(2026, 10, 25), 25),
    ],
)
def test_nights_on_which_clocks_change(schedule: str, night: datetime, count: int) -> None:
    rules = Rules(zone="Europe/Vienna")
    ticks = ticks_of(schedule, rules.zone)
    assert ticks is not None
    zone = ticks_of("0 0 * * *", rules.zone)
    assert zone is not None
    start = zone.last(night.replace(hour=12, tzinfo=timezone.utc))
    end = zone.next(start)
    now, table, runs = start - S, known(schedule, start - 30 * M), 0
    if is_due(table, now, rules):  # the tick before midnight
        table = replace(table, tried_at=now)
    while (now := now + M) < end:
        if is_due(table, now, rules):
            table, runs = replace(table, tried_at=now), runs + 1
    assert runs == count


def test_jitter_is_the_same_each_time_and_for_the_whole_graph() -> None:
    rules = Rules(jitter_s=60)
    names = graphs(
        {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}, "x": set(), "y": {"x", "s"}}
    )
    assert names == {"a": "a", "b": "a", "c": "a", "d": "a", "x": "x", "y": "x"}
    ticks = [ticks_for(known("@hourly", graph=f"g{n}"), rules) for n in range(200)]
    delays = [(each.next(NOON) - NOON - H).total_seconds() % 3600 for each in ticks if each]
    assert all(0 <= delay < 60 for delay in delays)
    assert len({round(delay) for delay in delays}) > 40, "they do not meet in one second"
    assert ticks_for(known(key="b", graph="a"), rules) == ticks_for(known(graph="a"), rules)


def test_late_is_who_lacks_the_tick_before_the_last() -> None:
    ticks = ticks_of("5m")
    assert ticks is not None
    assert due_since(ticks, NOON + 7 * M) == NOON
    assert due_since(ticks, NOON + 5 * M) == NOON
    assert due_since(ticks, NOON + 5 * M - S) == NOON - 5 * M


SCHEDULES = (
    "6h", "12h", "1d", "@daily", "7d", "30 2 * * *", "15 */8 * * *", "0 9 * * mon-fri", "@weekly", "1d12h",
)  # fmt: skip


def ticks_between(
    schedule: str | None, zone: str, since: datetime, end: datetime
) -> list[datetime]:
    """The ticks of a schedule after a moment, each asked for by the one before it."""
    ticks = ticks_of(schedule, zone)
    assert ticks is not None
    found = [ticks.next(since)]
    while found[-1] < end:
        found.append(ticks.next(found[-1]))
    return found


@pytest.mark.long
def test_a_year_of_a_thousand_tables() -> None:
    """No tick without its refresh, none with two, whatever the refreshes take: 1,000 tables, a year, outages."""
    rules = Rules(zone="Europe/Vienna", jitter_s=30)
    begin, end = NOON, NOON + 365 * D
    outages = [(begin + 40 * D, begin + 43 * D), (begin + 200 * D, begin + 200 * D + 9 * H)]
    tables = [known(SCHEDULES[n % 10], begin, key=f"t{n}", graph=f"g{n // 4}") for n in range(1000)]
    every = [ticks_for(table, rules) for table in tables]
    waiting = [(begin + 30 * S, n) for n in range(1000)]
    heapq.heapify(waiting)
    ran, missing = [0] * 1000, [0] * 1000
    started = time.process_time()
    while waiting[0][0] < end:
        now, n = heapq.heappop(waiting)
        table, ticks = tables[n], every[n]
        assert ticks is not None
        for outage in outages:
            if outage[0] <= now < outage[1]:
                now = outage[1] + timedelta(seconds=n % 7)
        found = due([table], now, rules)
        following = ticks.next(now)
        if found:
            (one,) = found
            assert table.tried_at < one.tick <= now, "a tick that has had none yet"
            assert one.tick == ticks.last(now), "the newest, so nothing drifts"
            ran[n], missing[n] = ran[n] + 1, missing[n] + one.missed
            tables[n] = Known(table.key, table.schedule, now, graph=table.graph)
            if n % 10 == ran[n] % 10:
                assert not is_due(tables[n], now, rules)
                assert not is_due(tables[n], following - S, rules)
        heapq.heappush(waiting, (following + timedelta(seconds=n % 13), n))
    seconds = time.process_time() - started
    plain = {each: ticks_between(each, rules.zone, begin - M, end) for each in SCHEDULES}
    for table, ticks, runs, skips in zip(tables, every, ran, missing, strict=True):
        assert isinstance(ticks, Later)
        assert ticks.next(table.tried_at) > end - 13 * S, "none is left out at the end"
        since, until = begin - ticks.by, table.tried_at - ticks.by
        assert runs + skips == sum(since < at <= until for at in plain[table.schedule or ""])
    assert sum(missing) > 1000, "the outages"
    print(
        f"{sum(ran):,} refreshes, {sum(missing):,} ticks missed in outages, {seconds:.1f} s of CPU"
    )
    assert seconds < 20, "10 s is the promise, on a machine that does nothing else"
