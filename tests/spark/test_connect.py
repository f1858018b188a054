"""A Spark Connect client: it makes, refreshes and reads stream tables by SQL alone, and is told what it lacks."""

from __future__ import annotations

import json
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

# What a client runs: steps over `st`, `sql` and `schema`, told line by line as JSON.
CLIENT = """
import json, sys
import streamtables

url, warehouse, schema = sys.argv[1:]
spark = streamtables.create_session(warehouse, master=url)
st = streamtables.StreamTables(spark, warehouse)

def sql(*texts):
    for text in texts:
        spark.sql(text.replace("$", schema))

def tell(done):
    print(json.dumps([done.action.value, done.reason, done.rows_inserted, done.rows_deleted]))

def verified(name):
    found = st.verify(f"{schema}.{name}")
    assert found.is_same, found
"""


@pytest.fixture(scope="module")
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


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lake]:
    made = Lake(spark, tmp_path, f"connected_{request.node.name[5:15]}")
    yield made
    spark.sql(f"DROP SCHEMA {made} CASCADE")


def client(server: str, lake: Lake, script: str) -> list[Any]:
    """Run a client to its end; gives what it told."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            CLIENT + script,
            server,
            str(lake.folder),
            str(lake),
        ],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_tables_are_made_and_follow_their_sources(server: str, lake: Lake) -> None:
    lake.sql(
        f"CREATE TABLE {lake}.a USING delta AS SELECT id AS k, id % 3 AS g FROM range(100)",
        f"CREATE TABLE {lake}.b USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true) "
        "AS SELECT id AS k, id * 2 AS v FROM range(50)",
        f"CREATE VIEW {lake}.seen AS SELECT * FROM {lake}.b WHERE v > 4",
    )
    told = client(
        server,
        lake,
        """
name = f"{schema}.t"
tell(st.create_stream_table(name, f"SELECT a.g, count(*) AS n, sum(b.v) AS s FROM {schema}.a AS a "
                                  f"JOIN {schema}.seen AS b ON a.k = b.k GROUP BY a.g"))
sql("INSERT INTO $.a VALUES (3, 0), (4, 7)", "DELETE FROM $.b WHERE k = 10", "UPDATE $.b SET v = 0 WHERE k = 20")
for each in st.refresh_all():
    tell(each)
tell(st.refresh(name))
""",
    )
    lake.check("t")
    made, refreshed, again = told
    assert made[:2] == ["FULL", "FIRST_FILL"]
    assert refreshed[0] == "INCREMENTAL"
    assert again[:2] == ["NO_DATA", "NO_CHANGE"]


def test_client_and_driver_take_turns(server: str, lake: Lake) -> None:
    lake.sql(f"CREATE TABLE {lake}.s USING delta AS SELECT id AS v FROM range(5)")
    lake.st.create_stream_table(
        f"{lake}.t", f"SELECT v % 2 AS g, count(*) AS n FROM {lake}.s GROUP BY 1"
    )
    lake.sql(f"INSERT INTO {lake}.s VALUES (10), (11)")
    done, rows = client(
        server,
        lake,
        """
tell(st.refresh(f"{schema}.t"))
verified("t")
first = spark.sql(f"SELECT sum(n) FROM {schema}.t VERSION AS OF 0")
print(json.dumps([spark.table(f"{schema}.t").count(), first.collect()[0][0]]))
""",
    )
    assert done[0] == "INCREMENTAL"
    assert rows == [2, 5]
    lake.sql(f"DELETE FROM {lake}.s WHERE v = 10")
    assert lake.opened().refresh(f"{lake}.t").action.value == "INCREMENTAL"
    lake.check("t")


@pytest.mark.slow
def test_the_rest_of_the_verbs(server: str, lake: Lake) -> None:
    lake.sql(f"CREATE TABLE {lake}.s USING delta AS SELECT id AS v FROM range(5)")
    looked, compacted, *told = client(
        server,
        lake,
        """
name = f"{schema}.t"
st.create_stream_table(name, f"SELECT v FROM {schema}.s", expect={"small": ("v < 4", "DROP")})
sql("INSERT INTO $.s VALUES (3), (9)")
st.refresh(name)
print(json.dumps([found.code for found in st.doctor().findings]))
print(json.dumps([done.files_after for done in st.compact(name)]))
print(json.dumps(st.status()[0]["failing"]))
print(json.dumps(len(st.history(name))))
print(json.dumps("Scan" in str(st.explain(name))))
print(json.dumps([list(row) for row in st.changes(name).collect()]))
print(json.dumps(st.rebuild_registry()))
st.create_stream_table(f"{schema}.u", f"SELECT DISTINCT v FROM {name}")
st.create_stream_table(f"{schema}.bag", f"SELECT v % 2 AS g FROM {name}")
sql("DELETE FROM $.s WHERE v % 2 = 1")
for each in st.refresh_all():
    tell(each)
tell(st.refresh(name, full=True))
tell(st.alter_stream_table(f"{schema}.u", query=f"SELECT v, v + 1 AS w FROM {name}"))
verified("u")
verified("bag")
st.drop_stream_table(name, cascade=True)
print(json.dumps(len(st.list())))
""",
    )
    assert "UNREADABLE" not in looked
    assert compacted == [1]
    assert told[:5] == [{"small": 1}, 2, True, [[3, 1]], []]
    actions = [(action, reason) for action, reason, *_ in told[5:-1]]
    assert [action for action, _ in actions[:3]] == ["INCREMENTAL"] * 3
    assert actions[3:] == [("FULL", "REQUESTED_FULL"), ("REINITIALIZE", "QUERY_CHANGED")]
    assert told[-1] == 0
