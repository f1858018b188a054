"""The daemon's tick, claim and end, in a lake of version numbers."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from helpers.vectors import VectorLake, stream_table

from streamtables.catalog.lock import file_lock
from streamtables.config import DoctorSettings, load_settings
from streamtables.refresh.doctor import Checkup, Finding
from streamtables.scheduler.daemon import LEASE, Daemon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamtables.scheduler.events import Event

SETTINGS = load_settings(
    given={
        "warehouse": "s3://none",
        "daemon.tick_seconds": 0.05,
        "daemon.lease_seconds": 30,
        "daemon.stop_seconds": 5,
    },
    environment={},
)


class Warehouse:
    """What daemons share: a registry, and a lake to open."""

    def __init__(self) -> None:
        self.lake = VectorLake("s")
        long_ago = datetime.now(timezone.utc) - timedelta(hours=1)
        table = replace(stream_table("a", "s", schedule="1s"), created_at=long_ago)
        self.holds = self.is_dead = False
        self.at, self.go = threading.Event(), threading.Event()
        self.refresher = self.lake.refresher([table], self._observe)
        self.catalog = self.refresher.catalog
        self.opens = 0
        self.lake.is_alive = lambda: not self.is_dead  # type: ignore[method-assign]
        self.lake.abandon = self.go.set  # type: ignore[attr-defined]

    def daemon(self, **given: Any) -> tuple[Daemon, list[Event]]:
        told: list[Event] = []
        settings = replace(SETTINGS, daemon=replace(SETTINGS.daemon, **given))
        return Daemon(settings, self.catalog, self.opened, told.append), told

    def opened(self) -> Any:
        self.opens += 1
        self.is_dead = False
        return self

    def doctor(self, settings: DoctorSettings) -> Checkup:
        assert settings is SETTINGS.doctor
        return Checkup((Finding("warning", "FAILING", "a", "it failed", "Look."),), ())

    def close(self) -> None:
        """The registry is shared."""

    def _observe(self, step: str) -> None:
        if self.holds and step == "derive":
            self.at.set()
            assert self.go.wait(30)


@pytest.fixture
def warehouse() -> Iterator[Warehouse]:
    made = Warehouse()
    yield made
    made.go.set()


def names(told: list[Event]) -> list[str]:
    return [event.name for event in told]


def running(daemon: Daemon) -> tuple[threading.Thread, list[bool]]:
    ends: list[bool] = []
    thread = threading.Thread(target=lambda: ends.append(daemon.run()))
    thread.start()
    return thread, ends


def test_it_refreshes_and_ends_when_told(warehouse: Warehouse) -> None:
    warehouse.lake.write("s")
    warehouse.holds = True
    daemon, told = warehouse.daemon()
    thread, ends = running(daemon)
    assert warehouse.at.wait(30)
    daemon.stop()
    warehouse.go.set()
    thread.join(30)
    assert ends == [True]
    assert warehouse.lake.vector("a") == {"s": 1}, "what ran was finished"
    assert names(told)[:3] == ["started", "leads", "spark_started"]
    assert "stopping" in names(told)
    assert names(told)[-1] == "stopped"
    assert warehouse.catalog.lease_holder(LEASE, datetime.now(timezone.utc)) is None


def test_what_takes_too_long_is_left(warehouse: Warehouse) -> None:
    warehouse.lake.write("s")
    warehouse.holds = True
    daemon, told = warehouse.daemon(stop_seconds=0.1)
    thread, ends = running(daemon)
    assert warehouse.at.wait(30)
    daemon.stop()
    thread.join(30)
    assert ends == [False]
    assert "left_unfinished" in names(told)


def test_it_does_not_wait_for_spark_to_start(
    warehouse: Warehouse, caplog: pytest.LogCaptureFixture
) -> None:
    daemon, told = warehouse.daemon()
    opened = daemon.opened

    def slowly() -> Any:
        warehouse.at.set()
        assert warehouse.go.wait(30)
        return opened()

    daemon.opened = slowly
    thread, ends = running(daemon)
    assert warehouse.at.wait(30)
    thread.join(0.2)  # ticks that go by meanwhile
    daemon.stop()
    thread.join(30)
    assert ends == [False]
    assert caplog.records == [], "only the daemon tells, and only events"
    assert names(told)[-2:] == ["stopping", "stopped"]


def test_one_leads_and_the_other_takes_over(warehouse: Warehouse) -> None:
    first, told_first = warehouse.daemon()
    second, told_second = warehouse.daemon()
    first.tick()
    second.tick()
    second.tick()
    assert names(told_first)[:2] == ["leads", "spark_started"]
    assert names(told_second) == ["stands_by"], "told once"
    assert warehouse.opens == 1, "who stands by needs no Spark"
    first._stop.set()
    assert first._heart is not None
    first._heart.join(30)
    # The first is gone without giving the lease back: it runs out.
    holder = warehouse.catalog.lease_holder(LEASE, datetime.now(timezone.utc))
    assert holder == first._lease.owner
    later = datetime.now(timezone.utc) + timedelta(seconds=31)
    assert warehouse.catalog.take_lease(LEASE, second._lease.owner, 30, later)
    second.tick()
    assert "leads" in names(told_second)
    second.stop()
    assert second._heart is not None
    second._heart.join(30)


def test_who_finds_the_leader_dead_leads_at_once(warehouse: Warehouse, tmp_path: Path) -> None:
    settings = replace(SETTINGS, warehouse=str(tmp_path))
    told: list[Event] = []
    daemon = Daemon(settings, warehouse.catalog, warehouse.opened, told.append)
    alive, dead = os.getppid(), subprocess.Popen(["true"])
    dead.wait()
    now = datetime.now(timezone.utc)
    for holder in (f"{dead.pid}@elsewhere#1", f"{alive}@{socket.gethostname()}#1"):
        assert warehouse.catalog.take_lease(LEASE, holder, 30, now)
        daemon.tick()
        assert names(told) == ["stands_by"]
        warehouse.catalog.release_lease(LEASE, holder)
    assert warehouse.catalog.take_lease(LEASE, f"{dead.pid}@{socket.gethostname()}#1", 30, now)
    with file_lock(tmp_path / "_streamtables" / "locks" / "daemon.lock", "", 0):
        daemon.tick()
        assert names(told) == ["stands_by"], "in another container, which has that process"
    daemon.tick()
    assert names(told)[1] == "leads"
    daemon.stop()
    assert daemon._heart is not None
    daemon._heart.join(30)
    daemon._lease.drop()


def test_a_dead_session_is_replaced(warehouse: Warehouse) -> None:
    daemon, told = warehouse.daemon()
    daemon.tick()
    warehouse.is_dead = True
    daemon._rounds.wait(30)  # type: ignore[union-attr]
    daemon.tick()
    assert warehouse.opens == 2
    assert "spark_died" in names(told)
    daemon.stop()
    assert daemon._heart is not None
    daemon._heart.join(30)


def test_a_tick_that_fails_is_told_and_the_next_goes_on(warehouse: Warehouse) -> None:
    daemon, told = warehouse.daemon()
    whole, warehouse.catalog.tables = warehouse.catalog.tables, None  # type: ignore[method-assign,assignment]
    daemon.tick()
    assert names(told)[-1] == "tick_failed"
    warehouse.catalog.tables = whole  # type: ignore[method-assign]
    daemon.tick()
    assert daemon._rounds is not None
    assert daemon._rounds.wait(30)
    assert "refresh" in names(told)
    daemon.stop()
    assert daemon._heart is not None
    daemon._heart.join(30)


def test_the_one_that_leads_asks_the_doctor(warehouse: Warehouse) -> None:
    daemon, told = warehouse.daemon()
    seen: list[Checkup] = []
    daemon.examined = seen.append
    daemon.examine()
    assert seen == [], "it does not lead yet"
    daemon.tick()
    daemon.examine()
    assert seen == [warehouse.doctor(SETTINGS.doctor)]
    (event,) = (event for event in told if event.name == "examined")
    assert (event.level, event.fields) == ("WARNING", {"FAILING": 1})
    warehouse.doctor = None  # type: ignore[assignment, method-assign]
    daemon.examine()
    assert "examination_failed" in names(told)
    daemon.stop()
    assert daemon._heart is not None
    daemon._heart.join(30)
