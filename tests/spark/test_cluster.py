"""The same refresh on a Spark standalone cluster: a master and two workers, each a process, on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from helpers.daemon_process import DaemonProcess
from helpers.process import environment

import streamtables
from streamtables.spark.jars import delta_jars
from streamtables.spark.java import find_java

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

CONFIG = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "640m",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
}
SPARK = Path(pyspark.__file__).parent
DEPLOY = "org.apache.spark.deploy"

# What runs on the cluster: every way to read a change and to write one that asks for executors.
SCRIPT = """
import json, sys
import streamtables
from streamtables.spark import changed, relations

master, warehouse, registry, config = sys.argv[1:]
changed.HERE_ROWS = changed.LOCAL_ROWS = relations.LOCAL_ROWS = 10  # changes of more rows stay on the executors
spark = streamtables.create_session(warehouse, master=master, config=json.loads(config))
st = streamtables.StreamTables(spark, warehouse, registry=registry or None)
spark.sql("CREATE TABLE s USING delta AS SELECT id, id % 50 AS k, id AS v FROM range(1000)")
query = "SELECT l.k, sum(r.v) AS v FROM s l JOIN s r ON l.id = r.id GROUP BY l.k"
st.create_stream_table("sums", query, "ON CHANGE", refresh_mode="INCREMENTAL")
spark.sql("UPDATE s SET v = v + 1 WHERE k < 20")
refresh = st.refresh("sums")
print(refresh.name, refresh.action.value, refresh.rows_inserted, refresh.rows_deleted)
assert st.verify("sums")
print("executors", len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1)
spark.sql("DELETE FROM s WHERE k >= 40")
st.close()
spark.stop()
"""


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The URL of a cluster of this test's own."""
    with contextlib.ExitStack() as started:
        url = started.enter_context(_process(tmp_path, "master", "master.Master", "--port", "0"))
        for number in (1, 2):
            folder = ["--work-dir", str(tmp_path / f"work_{number}")]
            size = ["--cores", "1", "--memory", "1g"]
            worker = _process(tmp_path, f"worker_{number}", "worker.Worker", *size, *folder, url)
            started.enter_context(worker)
        yield url


@contextlib.contextmanager
def _process(folder: Path, name: str, main: str, *arguments: str) -> Iterator[str]:
    """Run one of Spark's own programs; gives the URL of the master that it is or has found."""
    log = folder / f"{name}.log"
    place = ["--host", "127.0.0.1", "--webui-port", "0"]
    command = [str(SPARK / "bin" / "spark-class"), f"{DEPLOY}.{main}", *place, *arguments]
    with (
        log.open("w") as out,
        subprocess.Popen(
            command, stdout=out, stderr=out, env={**os.environ, **_environment()}
        ) as process,
    ):
        try:
            yield _said(log, process)
        finally:
            process.kill()


def _environment() -> dict[str, str]:
    return {
        "SPARK_HOME": str(SPARK),
        "JAVA_HOME": str(find_java()),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }


def _said(log: Path, process: subprocess.Popen[Any]) -> str:
    for _ in range(600):
        text = log.read_text("utf-8")
        found = re.search(
            r"(?:Starting Spark master at|registered with master) (spark://[\w.]+:\d+)", text
        )
        if found:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(log.read_text("utf-8")[-2000:])


def test_a_cluster_gives_the_same_answers(master: str, postgres: str, tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE cluster")
    script, warehouse = tmp_path / "script.py", tmp_path / "warehouse"
    script.write_text(SCRIPT, encoding="utf-8")
    registry = postgres.replace("/postgres?", "/cluster?")
    done = subprocess.run(
        [sys.executable, str(script), master, str(warehouse), registry, json.dumps(CONFIG)],
        capture_output=True,
        text=True,
        env={**environment(), **_environment(), "TZ": "UTC"},
        cwd=tmp_path,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = dict(
        line.split(" ", 1) for line in done.stdout.splitlines() if line.count(" ") in (1, 3)
    )
    assert lines["default.sums"] == "INCREMENTAL 20 20"
    assert lines["executors"] == "2"
    daemon = DaemonProcess(warehouse, by=_submitting(master), REGISTRY=registry)
    try:
        daemon.wait_for(120, event="refresh", table="default.sums", action="INCREMENTAL")
    finally:
        daemon.kill(with_spark=True)


def _submitting(master: str) -> list[str]:
    """The command by which spark-submit runs the daemon."""
    given = {**CONFIG, "spark.jars": ",".join(map(str, delta_jars()))}
    settings = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    program = Path(streamtables.__file__).parent / "cli" / "__main__.py"
    command = ["env", *(f"{key}={value}" for key, value in _environment().items())]
    return [
        *command,
        str(SPARK / "bin" / "spark-submit"),
        "--master",
        master,
        *settings,
        str(program),
    ]
