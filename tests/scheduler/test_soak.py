"""The daemon at work on a graph with two diamonds while sources change and readers poll.

`SOAK_MINUTES=30` says how long, `SOAK_WRITES=8` how many statements a second at most, `SOAK_PERIOD=10` how often
the tables at the end of the diamonds are refreshed, in seconds; `make soak` prints what came of it.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import soak
from helpers.lake import Lake

from streamtables.config import load_settings
from streamtables.scheduler.daemon import Daemon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from streamtables.scheduler.events import Event

pytestmark = pytest.mark.spark

SECONDS = float(os.environ.get("SOAK_SECONDS", "8"))
MINUTES = float(os.environ.get("SOAK_MINUTES", "10"))
# Of the short one: a diamond and a table beside it; versions looked at.
TABLES, CHECKS = 4, 8
# Of the long one: seconds between refreshes of what is refreshed most often, as the machine can carry it.
PERIOD = int(os.environ.get("SOAK_PERIOD", "10"))
# Statements of both writers a second, a quarter of them by Spark, as the machine can carry them.
WRITES = float(os.environ.get("SOAK_WRITES", "4"))
# Versions looked at: all, unless so many are asked for.
LONG_CHECKS = int(os.environ["SOAK_CHECKS"]) if "SOAK_CHECKS" in os.environ else None
# Of the long one: the share of looks at which a table is within its target, and how much more memory may be held in the
# last third, at the quietest moment, than in the one before.
WITHIN, GROWTH = 0.99, 1.2


@pytest.mark.slow
@pytest.mark.timeout(600 + 2 * SECONDS)
def test_a_short_soak(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path, "soak")
    run(lake, soak.make(lake, TABLES), SECONDS, CHECKS)


@pytest.mark.slow
@pytest.mark.timeout(600 + 300 * MINUTES)
def test_a_long_soak(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path, "soak")
    share, memory = run(lake, soak.make(lake, period_s=PERIOD), 60 * MINUTES, LONG_CHECKS)
    assert share >= WITHIN
    for before, last in zip(least(memory[3:7]), least(memory[7:]), strict=True):
        assert last <= GROWTH * before, "memory grows"


def least(samples: list[tuple[int, int]]) -> tuple[int, ...]:
    """What was held at the quietest moment: each task that runs holds pages of 64 MB, which are no leak."""
    return tuple(map(min, zip(*samples, strict=True)))


def run(
    lake: Lake, names: list[str], seconds: float, checks: int | None
) -> tuple[float, list[tuple[int, int]]]:
    """Let it run and check what came of it; gives the share of looks within target, and the memory ten times over."""
    told: list[Event] = []
    given = {"daemon.tick_seconds": 0.2, "warehouse": str(lake.folder)}
    settings = load_settings(given=given, environment={})
    daemon = Daemon(settings, lake.opened().catalog, lake.opened, told.append)
    thread = threading.Thread(target=daemon.run)
    writers = [
        soak.Writer(soak.by_spark(lake, soak.SOURCES[:1]), 0, 4 / WRITES),
        soak.Writer(soak.by_delta_rs(lake, soak.SOURCES[1:]), 1, 4 / 3 / WRITES),
    ]
    reader = soak.Reader(lake, names)
    for one in (thread, *writers, reader):
        one.start()
    looks, late, memory = 0, Counter[str](), [megabytes(lake.spark)]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.5)
        rows = lake.st.status()
        looks += sum(row["is_late"] is not None for row in rows)
        late.update(str(row["name"]) for row in rows if row["is_late"])
        if len(memory) < 10 * (1 - (until - time.monotonic()) / seconds):
            memory.append(megabytes(lake.spark))
    for one in (*writers, reader):
        one.stop()
    daemon.stop()
    thread.join(60)
    assert not thread.is_alive()
    share = 1 - late.total() / max(looks, 1)
    print(f"{share:.2%} of {looks} looks within target; late: {dict(late)}")
    print(f"memory (Python, Java heap after collection) in MB: {memory}")
    oracle = soak.Oracle(lake)
    for sample in reader.seen:
        oracle.check_read(*sample)
    print(f"{len(reader.seen)} reads, 0 torn: each saw one version")
    check(lake, oracle, names, checks)
    commits, refreshes = sum(w.commits for w in writers), sum(e.name == "refresh" for e in told)
    print(f"{commits} commits ({commits / seconds:.1f} a second), {refreshes} attempts to refresh")
    assert {e.fields.get("action") for e in told if e.level in ("WARNING", "ERROR")} == set()
    return share, memory


def megabytes(spark: SparkSession) -> tuple[int, int]:
    """What this process and the heap of its JVM hold, garbage apart."""
    here = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text("utf-8"))
    runtime = spark._jvm.java.lang.Runtime.getRuntime()  # type: ignore[union-attr]
    runtime.gc()
    time.sleep(0.5)  # what Spark's own cleaner lets go meanwhile, goes with the second
    runtime.gc()
    heap = runtime.totalMemory() - runtime.freeMemory()
    return int(here[1]) // 1024 if here else 0, heap // 2**20


def check(lake: Lake, oracle: soak.Oracle, names: list[str], count: int | None) -> None:
    """Versions that readers could have seen: a few at random, or all; then what is there at last."""
    seen = [(name, version) for name in names for version in range(lake.version(name) + 1)]
    chosen = seen if count is None else random.Random(0).sample(seen, min(count, len(seen)))
    for name, version in chosen:
        oracle.check(name, version)
    lake.st.refresh_all()
    for name in names:
        oracle.check_numbers(name)
    oracle.check(names[-1], lake.version(names[-1]))
    print(f"{len(chosen)} of {len(seen)} versions checked")
