"""A Spark Connect client: told what it lacks, and able to read."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from helpers.lake import Lake
from helpers.process import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SCRIPT = """
import sys
from pyspark.sql import SparkSession
import streamtables

url, warehouse, path = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
try:
    streamtables.StreamTables(spark, warehouse)
except streamtables.errors.SessionLacks as error:
    print(error)
table = f"delta.`{path}`"
print(spark.sql(f"SELECT sum(v) FROM {table}").collect()[0][0])
print(spark.sql(f"SELECT count(*) FROM {table} VERSION AS OF 0").collect()[0][0])
spark.stop()
"""


@pytest.fixture
def server(one_spark: SparkSession) -> Iterator[str]:
    """The URL of a Spark Connect server in the tests' own JVM."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    jvm: Any = one_spark._jvm
    conf = jvm.org.apache.spark.SparkEnv.get().conf()
    conf.set("spark.connect.grpc.binding.port", str(port))
    conf.set("spark.connect.grpc.binding.address", "127.0.0.1")
    service = jvm.org.apache.spark.sql.connect.service.SparkConnectService
    service.start(one_spark.sparkContext._jsc.sc())
    yield f"sc://127.0.0.1:{port}"
    nothing = jvm.scala.Option.empty()
    service.stop(nothing, nothing)


def test_a_connect_client_reads_and_is_told_why_it_cannot_refresh(
    server: str, spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(spark, tmp_path, "connected")
    lake.sql(f"CREATE TABLE {lake}.s USING delta AS SELECT id AS v FROM range(5)")
    lake.st.create_stream_table(f"{lake}.t", f"SELECT v FROM {lake}.s WHERE v > 1")
    lake.sql(f"INSERT INTO {lake}.s VALUES (10)")
    lake.st.refresh(f"{lake}.t")
    client = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, server, str(tmp_path), str(lake.path("t"))],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    spark.sql(f"DROP SCHEMA {lake} CASCADE")
    assert client.returncode == 0, client.stderr[-3000:]
    refused, total, rows = client.stdout.splitlines()
    assert "Spark Connect session reaches neither" in refused
    assert "read the stream tables" in refused
    assert (total, rows) == ("19", "3")
