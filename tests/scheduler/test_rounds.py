"""Rounds of the daemon on a clock of our own, in a lake of version numbers."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from helpers.vectors import VectorLake, stream_table

from streamtables.errors import NegativeCount
from streamtables.model import Action, Status
from streamtables.refresh.fan_out import FanOut
from streamtables.refresh.fuse import Fuse
from streamtables.refresh.graph import in_order
from streamtables.scheduler.due import Rules
from streamtables.scheduler.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.model import StreamTable
    from streamtables.scheduler.events import Event


class Stage:
    """A lake, its rounds, and what they told."""

    def __init__(self, *tables: StreamTable, workers: int = 2) -> None:
        self.lake, self.events, self.at = VectorLake("stu"), [], threading.Event()
        self.holds: str | None = None
        self.now = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
        refresher = self.lake.refresher(tables, self._observe)
        self.refresher = replace(refresher, now=lambda: self.now)
        for table in tables:
            self.refresher.skip(table, Action.SKIPPED, "NEW")
        self.rounds = Rounds(self.refresher, Rules(), workers, self.events.append)
        self.go = threading.Event()
        self.events: list[Event]

    def look(self, later_s: float = 0) -> list[str]:
        """A look so much later: what was refreshed, and how."""
        self.now += timedelta(seconds=later_s)
        del self.events[:]
        self.rounds.look()
        assert self.rounds.wait(30)
        return self.told()

    def told(self) -> list[str]:
        shown = [(e.fields.get("table"), e.fields.get("reason", e.name)) for e in self.events]
        return sorted(f"{table} {reason}" for table, reason in shown)

    def _observe(self, step: str) -> None:
        if step == self.holds:
            self.at.set()
            assert self.go.wait(30)


@pytest.fixture
def stages() -> Iterator[Any]:
    made: list[Stage] = []

    def make(*tables: StreamTable, **rest: Any) -> Stage:
        made.append(Stage(*tables, **rest))
        return made[-1]

    yield make
    for stage in made:
        stage.rounds.close()


def test_a_table_takes_along_what_it_reads(stages: Any) -> None:
    a, b = stream_table("a", "s", schedule="DOWNSTREAM"), stream_table("b", "s")
    d = stream_table("d", "a", "b", schedule="10s")
    stage = stages(a, b, d, stream_table("z", "u", schedule="DOWNSTREAM"))
    stage.lake.write("s")
    stage.lake.write("u")
    assert stage.look(10) == ["a CHANGE_SMALL", "b CHANGE_SMALL", "d CHANGE_SMALL"]
    assert stage.lake.vector("d") == {"s": 1}
    assert stage.look(0) == []


def test_on_change_runs_when_a_base_table_far_above_moves(stages: Any) -> None:
    a, d = stream_table("a", "s"), stream_table("d", "a", "t", schedule="ON CHANGE")
    stage = stages(a, d)
    stage.look(301)  # its first frontier names no base tables yet
    assert stage.look(1) == []
    stage.lake.write("u")
    assert stage.look(1) == []
    stage.lake.write("s")
    assert stage.look(1) == ["a CHANGE_SMALL", "d CHANGE_SMALL"]
    assert stage.look(1) == []


def test_missed_ticks_are_told_once(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1m"))
    assert stage.look(600) == ["a NO_CHANGE", "a TICKS_MISSED"]
    rows = [row for row in stage.refresher.catalog.history() if row.reason == "TICKS_MISSED"]
    assert rows[0].detail is not None
    assert "ticks went by" in rows[0].detail


def test_a_catch_up_that_was_cut_short_is_due_again(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1d"))
    stage.lake.write("s")
    stage.rounds.stop()
    assert stage.look(3 * 86400) == ["a TICKS_MISSED"], "ended before the refresh began"
    stage.rounds.close()
    stage.rounds = Rounds(stage.refresher, Rules(), 2, stage.events.append)
    assert stage.look(60) == ["a CHANGE_SMALL", "a TICKS_MISSED"]
    assert stage.look(60) == []


def test_a_refresh_that_runs_is_not_begun_again(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1s"))
    stage.lake.write("s")
    stage.holds = "derive"
    stage.now += timedelta(seconds=10)
    assert stage.rounds.look() == 1
    assert stage.at.wait(30)
    for _ in range(3):
        stage.now += timedelta(seconds=10)
        assert stage.rounds.look() == 0
    stage.go.set()
    assert stage.rounds.wait(30)
    assert stage.look(0) == ["a NO_CHANGE", "a TICKS_MISSED"], "one makes up for those that went by"


def test_a_slow_graph_does_not_hold_up_another(stages: Any) -> None:
    slow, quick = stream_table("a", "s", schedule="1s"), stream_table("z", "u", schedule="1s")
    stage = stages(slow, quick)
    stage.lake.write("s")
    stage.holds = "derive"
    stage.now += timedelta(seconds=10)
    assert stage.rounds.look() == 2
    assert stage.at.wait(30)
    stage.now += timedelta(seconds=10)
    while "`z`" in stage.rounds._running:
        pass
    assert stage.rounds.look() == 1, "the quick one"
    stage.go.set()
    assert stage.rounds.wait(30)


def test_a_transient_failure_is_tried_again(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1h"), stream_table("d", "a", schedule="1h"))
    stage.lake.write("s")
    stage.lake.failing["`a`"] = OSError("the disk")
    assert stage.look(3600) == ["a UNEXPECTED", "d UPSTREAM_FAILED"]
    assert stage.look(0) == [], "the pause"
    assert stage.look(1.1) == ["a UNEXPECTED", "d UPSTREAM_FAILED"]
    assert stage.look(1) == []
    del stage.lake.failing["`a`"]
    assert stage.look(1.1) == ["a CHANGE_SMALL", "d CHANGE_SMALL"]
    assert stage.look(60) == []


def test_a_permanent_failure_suspends_and_the_rest_goes_on(stages: Any) -> None:
    stage = stages(
        stream_table("a", "s", schedule="1m"),
        stream_table("d", "a", schedule="1m"),
        stream_table("b", "s", schedule="1m"),
    )
    stage.lake.write("s")
    stage.lake.failing["`a`"] = NegativeCount("gone", hint="Reinitialize it.")
    assert stage.look(60) == ["a NegativeCount", "b CHANGE_SMALL", "d UPSTREAM_FAILED"]
    assert stage.look(1.1) == ["a NegativeCount", "a suspended", "d UPSTREAM_FAILED"]
    table = stage.refresher.catalog.find(stream_table("a", "s").name)
    assert (table.status, table.message) == (Status.SUSPENDED, "gone. Reinitialize it.")
    stage.lake.write("s")
    assert "b CHANGE_SMALL" in stage.look(60)
    del stage.lake.failing["`a`"]
    stage.refresher.catalog.set_status("a", Status.ACTIVE)
    stage.look(300)
    assert stage.lake.vector("d") == {"s": 2}


@pytest.mark.parametrize("schedule", ["1h", "ON CHANGE"])
@pytest.mark.parametrize("status", [Status.SUSPENDED, Status.PAUSED])
def test_what_waited_for_a_table_goes_on_as_soon_as_that_does(
    stages: Any, schedule: str, status: Status
) -> None:
    a, d = stream_table("a", "s", schedule="1m"), stream_table("d", "a", schedule=schedule)
    stage = stages(a, d)
    stage.lake.write("s")
    stage.refresher.catalog.set_status("a", status, "gone")
    for _ in range(20):
        stage.look(3600)
    assert stage.look(1) == [], "it waits"
    stage.refresher.catalog.set_status("a", Status.ACTIVE)
    told = [line for _ in range(2) for line in stage.look(1.1)]
    assert sorted(told) == ["a CHANGE_SMALL", "d CHANGE_SMALL"]
    assert stage.look(2) == []


def test_the_fuse_stops_a_large_change_until_somebody_takes_it_in(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1m"), stream_table("d", "a", schedule="1m"))
    stage.lake.rows = 3
    by_hand, stage.rounds.refresher = stage.refresher, replace(stage.refresher, fuse=Fuse(0.3))
    stage.lake.write("s")
    assert stage.look(60) == ["a FuseBlown", "d UPSTREAM_FAILED"]
    assert stage.look(1.1) == ["a FuseBlown", "a suspended", "d UPSTREAM_FAILED"]
    table = stage.refresher.catalog.find(stream_table("a", "s").name)
    assert table.message.startswith("a has 3 rows; 1 would go and 1 come, more than a share of 0.3")
    assert stage.lake.vector("a") == {"s": 0}
    assert FanOut(by_hand).refresh_one(table).reason == "CHANGE_SMALL"
    stage.refresher.catalog.set_status("a", Status.ACTIVE)
    assert "d FuseBlown" in stage.look(60), "what reads it has a fuse of its own"
    stage.lake.rows = 4
    stage.lake.write("s")
    assert "a CHANGE_SMALL" in stage.look(60)


@pytest.mark.parametrize(
    ("fuse", "rows", "passes"),
    [
        (Fuse(), 1, True),
        (Fuse(0.5), 2, True),
        (Fuse(0.5), 1, False),
        (Fuse(0.5), 0, True),
        (Fuse(0.5, 2), 1, True),
    ],
)
def test_what_a_fuse_lets_pass(fuse: Fuse, rows: int, passes: bool) -> None:
    """A change of one row: without a share, at it, above it, of an empty table, of few rows."""
    lake = VectorLake("s")
    lake.rows = rows
    table = stream_table("a", "s")
    refresher = replace(lake.refresher([table]), fuse=fuse)
    lake.write("s")
    refresh = FanOut(refresher).refresh(in_order)["`a`"].refresh
    assert (refresh.reason == "CHANGE_SMALL") is passes


def test_a_source_that_is_gone_fails_only_who_reads_it(stages: Any) -> None:
    stage = stages(
        stream_table("a", "s", schedule="1m"),
        stream_table("b", "t", schedule="1m"),
        stream_table("d", "a", "b", schedule="1m"),
    )
    stage.lake.write("s")
    del stage.lake.shown["`t`"]
    assert stage.look(60) == ["a CHANGE_SMALL", "b UNEXPECTED", "d UPSTREAM_FAILED"]


def test_stopping_begins_nothing_more(stages: Any) -> None:
    stage = stages(stream_table("a", "s", schedule="1s"), stream_table("d", "a", schedule="1s"))
    stage.lake.write("s")
    stage.holds = "derive"
    stage.now += timedelta(seconds=10)
    stage.rounds.look()
    assert stage.at.wait(30)
    stage.rounds.stop()
    stage.go.set()
    assert stage.rounds.wait(30)
    assert [
        e.fields["table"] for e in stage.events if e.fields.get("reason") == "CHANGE_SMALL"
    ] == ["a"]
