"""Two processes refresh one table while a writer changes its sources: each change is applied once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from helpers.process import environment

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROUNDS = int(os.environ.get("TWO_PROCESSES_ROUNDS", "4"))  # of each of the two, at least
MOST_ROUNDS = 5 * ROUNDS

OTHER_PROCESS = """
import json, sys
import streamtables
from streamtables.testing.session import short_session

folder, name = sys.argv[1:]
spark = short_session(folder, cores=1, memory="1g")
st = streamtables.StreamTables(spark, folder)
columns = spark.table(name).columns  # found by its folder: this session's catalog began empty
print(json.dumps({"tables": [str(table.name) for table in st.list()], "columns": columns}), flush=True)
for _ in sys.stdin:
    refresh = st.refresh(name)
    print(json.dumps([refresh.reason, refresh.number, refresh.version]), flush=True)
"""


@pytest.mark.timeout(600 + 30 * ROUNDS)
def test_two_processes_and_a_writer(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path, "shared")
    name = f"{lake}.totals"
    lake.sql(f"CREATE TABLE {lake}.s (id INT, k INT) USING delta")
    lake.st.create_stream_table(
        name, f"SELECT k, count(*) AS n, sum(id) AS ids FROM {lake}.s GROUP BY k"
    )
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(tmp_path), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        seen = json.loads(other.stdout.readline())
        assert seen == {"tables": [name], "columns": ["k", "n", "ids"]}
        writer = Writer(lake)
        writer.start()
        here: list[tuple[str, int, int | None]] = []
        there: list[tuple[str, int, int | None]] = []
        # Both begin at once, each time there is news, and each has to take some in.
        while len(here) < ROUNDS or not (_took_in(here) and _took_in(there)):
            assert len(here) < MOST_ROUNDS, "one of the two never was first"
            writer.wait_for_news()
            other.stdin.write("go\n")
            other.stdin.flush()
            refresh = lake.st.refresh(name)
            here.append((refresh.reason, refresh.number, refresh.version))
            there.append(tuple(json.loads(other.stdout.readline())))
        writer.stop()
    assert other.returncode == 0
    assert writer.error is None

    both = [*here, *there]
    reasons = Counter(reason for reason, _, _ in both)
    print(f"{writer.batches} batches written, {dict(reasons)}")
    assert set(reasons) <= {"CHANGE_SMALL", "NO_CHANGE", "ALREADY_REFRESHED"}
    written = sorted((number, version) for _, number, version in both if version is not None)
    numbers = [stamp["number"] for stamp in lake.stamps("totals")]
    assert numbers == [1, *(number for number, _ in written)], (
        "each commit is one refresh of one process"
    )
    assert numbers == list(range(1, len(numbers) + 1))
    assert [version for _, version in written] == list(range(1, len(numbers)))
    lake.check_at_frontier("totals")
    lake.st.refresh(name)
    lake.check("totals")
    assert len(lake.st.history(name, 10 * MOST_ROUNDS)) == len(both) + 2


def _took_in(refreshes: list[tuple[str, int, int | None]]) -> bool:
    return any(reason == "CHANGE_SMALL" for reason, *_ in refreshes)


class Writer(threading.Thread):
    """Changes the source until told to stop."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(daemon=True)
        self.lake, self.batches = lake, 0
        self.error: Exception | None = None
        self._is_over, self._is_news = threading.Event(), threading.Event()

    def run(self) -> None:
        while not self._is_over.is_set():
            i = self.batches
            s = f"{self.lake}.s"
            texts = (
                f"INSERT INTO {s} VALUES ({i}, {i % 3}), ({i}, {i % 3})",
                f"UPDATE {s} SET k = (k + 1) % 4 WHERE id % 5 = {i % 5}",
                f"DELETE FROM {s} WHERE id = {i - 6}",
            )
            try:
                self.lake.sql(texts[i % 3])
            except Exception as error:  # noqa: BLE001 the test shows it
                self.error = error
                return
            self.batches += 1
            self._is_news.set()

    def wait_for_news(self) -> None:
        """Wait for a batch that was written since this was last asked."""
        assert self._is_news.wait(120), self.error
        self._is_news.clear()

    def stop(self) -> None:
        self._is_over.set()
        self.join(60)
