"""Daemons as processes: ended, killed at random moments, and two at once.

`KILLS=200` asks for so many kills, `PAIR_MINUTES=10` for so long a life of two daemons.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import socket
import statistics
import time
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from helpers import soak
from helpers.daemon_process import DaemonProcess
from helpers.lake import Lake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KILLS = int(os.environ.get("KILLS", "3"))
PAIR_MINUTES = float(os.environ.get("PAIR_MINUTES", "1.5"))
EVERY_S = 60
"""So often one of two is killed."""
FRESH_S = 30
"""So soon another leads, and what it leads is fresh, Spark's start apart."""
_NUMBERS = itertools.count()


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(spark, tmp_path, f"killed_{next(_NUMBERS)}")
    soak.make(lake)
    yield lake
    DaemonProcess.end_all()
    spark.sql(f"DROP SCHEMA {lake} CASCADE")


@pytest.mark.timeout(900)
def test_it_tells_others_and_sigterm_ends_it_cleanly(lake: Lake, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = tmp_path / "lineage.jsonl"
    daemon = DaemonProcess(lake.folder, METRICS_PORT=str(port), LINEAGE_TO=str(told))
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
    daemon = DaemonProcess(lake.folder)
    daemon.wait_for(120, event="refresh", table=f"{lake}.t8")
    daemon.kill_spark()
    daemon.wait_for(60, event="spark_died")
    lake.sql(f"INSERT INTO {lake}.a VALUES (1, 1)")
    seconds = daemon.wait_for(120, event="refresh", action="INCREMENTAL", table=f"{lake}.t3")
    print(f"fresh again {seconds:.1f} s after it was missed, with Spark's start")
    daemon.kill()
    soak.Oracle(lake).check("t3", lake.version("t3"))


@pytest.mark.timeout(900 + 120 * KILLS)
def test_killed_at_random_moments_it_loses_and_doubles_nothing(lake: Lake) -> None:
    """Every third lives until it is fresh, and a moment more; the others die while they catch up."""
    chance = random.Random(os.environ.get("KILL_SEED", "1"))
    watch, writer = soak.Watch(lake), soak.Writer(soak.by_delta_rs(lake, soak.SOURCES), 7, 0.3)
    started, fresh, unfresh, begun = list[float](), list[float](), 0, time.monotonic()
    writer.start()
    for number in range(KILLS):
        daemon = DaemonProcess(lake.folder)
        watch.check()  # while Spark starts: what the one before has left
        started.append(daemon.wait_for(120, event="spark_started"))
        if number % 3 == 0:
            wanted = {"event": "refresh", "action": "INCREMENTAL", "table": f"{lake}.t6"}
            fresh.append(daemon.wait_for(120, **wanted))
        unfresh += number % 3 > 0
        time.sleep(chance.uniform(0, 4))
        daemon.kill(with_spark=chance.random() < 0.5)
    seconds = time.monotonic() - begun
    writer.stop()
    watch.check()
    lake.opened().refresh_all()
    watch.check()
    print(
        f"{KILLS} kills ({unfresh} while catching up), {seconds / KILLS:.1f} s each, {writer.commits} commits; "
        f"{watch.checked} versions checked; fresh {max(fresh):.1f} s after Spark's start at most, "
        f"{statistics.median(fresh):.1f} s mostly"
    )
    assert max(fresh) < FRESH_S


@pytest.mark.timeout(900 + 120 * PAIR_MINUTES)
def test_of_two_daemons_one_is_killed_each_minute(lake: Lake) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "1"))
    watch, writer = soak.Watch(lake), soak.Writer(soak.by_delta_rs(lake, soak.SOURCES), 7, 0.3)
    leader = DaemonProcess(lake.folder)
    leader.wait_for(120, event="leads")
    other, took_over, fresh = DaemonProcess(lake.folder), list[float](), list[float]()
    writer.start()
    until = time.monotonic() + 60 * PAIR_MINUTES
    while time.monotonic() < until:
        other.wait_for(60, event="stands_by")
        time.sleep(min(EVERY_S * chance.uniform(0.7, 1), max(until - time.monotonic(), 1)))
        leader.kill(with_spark=chance.random() < 0.5)
        seconds = other.wait_for(60, event="leads")
        took_over.append(seconds)
        other.wait_for(120, event="spark_started")
        fresh.append(other.wait_for(120, event="refresh", action="INCREMENTAL", table=f"{lake}.t6"))
        leader, other = other, DaemonProcess(lake.folder)
        watch.check()
    writer.stop()
    leader.kill()
    other.kill()
    watch.check()
    lake.opened().refresh_all()
    watch.check()
    print(
        f"{len(took_over)} killed, {writer.commits} commits, {watch.checked} versions checked; "
        f"the other led after {max(took_over):.1f} s at most, and was fresh {max(fresh):.1f} s after Spark's start"
    )
    assert max(took_over) < FRESH_S
    assert max(fresh) < FRESH_S
