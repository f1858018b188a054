"""Daemons as processes: ended, killed at random moments, and two at once."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest
from helpers import soak
from helpers.lake import Lake

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KILLS = int(os.environ.get("KILLS", "3"))


class Process:
    """`streamtables run` on a lake, and the events it tells."""

    def __init__(self, lake: Lake, **more: str) -> None:
        given = {
            "LOG_FORMAT": "json",
            "LOG_LEVEL": "DEBUG",
            "METRICS_PORT": "0",
            "DAEMON_LEASE_SECONDS": "10",
            **more,
        }
        variables = {f"STREAMTABLES_{name}": value for name, value in given.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamtables.cli", "run", "-w", str(lake.folder)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **variables, "STREAMTABLES_SPARK_MASTER": "local[2]",
                 "STREAMTABLES_SPARK_CONFIG": '{"spark.driver.memory": "1g"}'},
        )  # fmt: skip
        self.events: list[dict[str, Any]] = []
        self.others: list[str] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for(self, timeout_s: float, **wanted: Any) -> float:
        """Wait for an event that says all this; gives the seconds that it took."""
        start = time.monotonic()
        with self._changed:
            assert self._changed.wait_for(
                lambda: any(wanted.items() <= event.items() for event in self.events), timeout_s
            ), self.events[-5:]
        return time.monotonic() - start

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def kill_spark(self) -> None:
        """Kill its JVM, and forget the events so far."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (jvm,) = {pid for file in children for pid in file.read_text("utf-8").split()}
        with self._changed:
            self.events.clear()
        os.kill(int(jvm), signal.SIGKILL)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                if line.startswith("{"):
                    self.events.append(json.loads(line))
                else:
                    self.others.append(line)
                self._changed.notify_all()


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(spark, tmp_path, "killed")
    soak.make(lake, soak.GRAPH)
    yield lake
    spark.sql("DROP SCHEMA killed CASCADE")  # the next test's tables lie elsewhere


@pytest.mark.timeout(900)
def test_it_tells_others_and_sigterm_ends_it_cleanly(lake: Lake, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = tmp_path / "lineage.jsonl"
    daemon = Process(lake, METRICS_PORT=str(port), LINEAGE_TO=str(told))
    daemon.wait_for(120, event="refresh", table=f"{lake}.t8")
    pages = {}
    for path in ("metrics", ""):
        with urlopen(f"http://127.0.0.1:{port}/{path}", timeout=30) as reply:
            pages[path] = reply.read().decode()
    assert re.search(
        rf'^streamtables_lag_seconds{{table="{lake}.t8"}} ', pages["metrics"], re.MULTILINE
    )
    assert "streamtables_leader 1.0" in pages["metrics"]
    assert f"{lake}.t8" in pages[""]
    lake.sql(f"INSERT INTO {lake}.a VALUES (1, 1)")
    daemon.wait_for(60, event="refresh", action="INCREMENTAL", table=f"{lake}.t3")
    lake.sql(f"INSERT INTO {lake}.a VALUES (2, 2)")
    start = time.monotonic()
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(30) == 0
    print(f"ended in {time.monotonic() - start:.1f} s")
    daemon.wait_for(10, event="stopped")
    assert daemon.others == [], "each line is an event"
    events = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    assert {event["eventType"] for event in events} == {"START", "COMPLETE"}


@pytest.mark.timeout(900)
def test_spark_is_started_anew_when_it_dies(lake: Lake) -> None:
    daemon = Process(lake)
    daemon.wait_for(120, event="refresh", table=f"{lake}.t8")
    daemon.kill_spark()
    daemon.wait_for(60, event="spark_died")
    lake.sql(f"INSERT INTO {lake}.a VALUES (1, 1)")
    seconds = daemon.wait_for(120, event="refresh", action="INCREMENTAL", table=f"{lake}.t3")
    print(f"fresh again {seconds:.1f} s after it was missed, with Spark's start")
    daemon.kill()
    soak.Oracle(lake).check("t3", lake.version("t3"))


@pytest.mark.timeout(900 + 200 * KILLS)
def test_killed_at_random_moments_it_loses_and_doubles_nothing(lake: Lake) -> None:
    chance, took = random.Random(os.environ.get("KILL_SEED", "1")), []
    writer = soak.Writer(lake, 7)
    writer.start()
    for _ in range(KILLS):
        daemon = Process(lake)
        took.append(daemon.wait_for(120, event="refresh", action="INCREMENTAL", table=f"{lake}.t6"))
        time.sleep(chance.uniform(0, 3))
        daemon.kill()
    writer.stop()
    oracle = soak.Oracle(lake)
    lake.opened().refresh_all()
    for name in list(soak.TABLES)[: soak.GRAPH]:
        oracle.check_numbers(name)
        oracle.check(name, lake.version(name))
        for version in range(0, lake.version(name), 5):
            oracle.check(name, version)
    print(
        f"{KILLS} kills, {writer.commits} commits; fresh again after {max(took):.1f} s with Spark's start"
    )


@pytest.mark.timeout(900)
def test_the_other_takes_over_within_half_a_minute(lake: Lake) -> None:
    first = Process(lake)
    first.wait_for(120, event="refresh")
    second = Process(lake)
    second.wait_for(60, event="stands_by")
    first.kill()
    seconds = second.wait_for(60, event="leads")
    print(f"leads after {seconds:.1f} s")
    assert seconds < 30
    lake.sql(f"INSERT INTO {lake}.a VALUES (1, 1)")
    second.wait_for(120, event="refresh", action="INCREMENTAL", table=f"{lake}.t3")
    second.kill()
    soak.Oracle(lake).check("t3", lake.version("t3"))
