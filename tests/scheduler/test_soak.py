"""The daemon at work on a graph with two diamonds while sources change and readers poll."""

from __future__ import annotations

import os
import random
import threading
import time
from typing import TYPE_CHECKING

import pytest
from helpers import soak
from helpers.lake import Lake

from streamtables.config import load_settings
from streamtables.scheduler.daemon import Daemon

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from streamtables.scheduler.events import Event

pytestmark = pytest.mark.spark

SECONDS = float(os.environ.get("SOAK_SECONDS", "8"))
MINUTES = float(os.environ.get("SOAK_MINUTES", "10"))
# Of the short one: a diamond and a table beside it; versions looked at.
TABLES, CHECKS = 4, 8


@pytest.mark.slow
@pytest.mark.timeout(600 + 2 * SECONDS)
def test_a_short_soak(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path, "soak")
    run(lake, soak.make(lake, TABLES), SECONDS, CHECKS)


@pytest.mark.slow
@pytest.mark.timeout(600 + 300 * MINUTES)
def test_a_long_soak(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path, "soak")
    run(lake, soak.make(lake), 60 * MINUTES, None)


def run(lake: Lake, names: list[str], seconds: float, checks: int | None) -> None:
    told: list[Event] = []
    settings = load_settings(given={"daemon.tick_seconds": 0.2}, environment={})
    daemon = Daemon(settings, lake.opened().catalog, lake.opened, told.append)
    thread = threading.Thread(target=daemon.run)
    writers = [soak.Writer(lake, seed) for seed in range(2)]
    thread.start()
    for writer in writers:
        writer.start()
    looks = late = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.5)
        rows = lake.st.status()
        looks += sum(row["is_late"] is not None for row in rows)
        late += sum(bool(row["is_late"]) for row in rows)
    for writer in writers:
        writer.stop()
    daemon.stop()
    thread.join(60)
    assert not thread.is_alive()
    check(lake, names, checks)
    commits, refreshes = sum(w.commits for w in writers), sum(e.name == "refresh" for e in told)
    print(
        f"{commits} commits, {refreshes} refreshes, {looks - late} of {looks} looks within target"
    )
    assert {e.fields.get("action") for e in told if e.level in ("WARNING", "ERROR")} == set()


def check(lake: Lake, names: list[str], count: int | None) -> None:
    """Versions that readers could have seen: a few at random, or all; then what is there at last."""
    oracle = soak.Oracle(lake)
    seen = [(name, version) for name in names for version in range(lake.version(name) + 1)]
    chosen = seen if count is None else random.Random(0).sample(seen, min(count, len(seen)))
    for name, version in chosen:
        oracle.check(name, version)
    lake.st.refresh_all()
    for name in names:
        oracle.check_numbers(name)
    oracle.check(names[-1], lake.version(names[-1]))
    print(f"{len(chosen)} of {len(seen)} versions checked")
