"""The verbs, as an analyst uses them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from helpers.versions import jobs

import streamtables
from streamtables.errors import InUse, NotAStreamTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("verbs"), "verbs")
    lake.sql(f"CREATE TABLE {lake}.orders (id INT, region STRING, amount INT) USING delta")
    lake.sql(f"INSERT INTO {lake}.orders VALUES (1, 'n', 10), (2, 'n', 20), (3, NULL, 5)")
    return lake


def test_the_contract_as_printed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(streamtables, "create_session", lambda warehouse: spark, raising=False)
    spark.sql("CREATE SCHEMA sales")
    spark.sql("CREATE TABLE sales.orders USING delta AS SELECT 'n' AS region, 10 AS amount")

    # fmt: off
    spark = streamtables.create_session(warehouse="./warehouse")      # a local SparkSession, tuned; any Spark with Delta will do  # noqa: E501
    st = streamtables.StreamTables(spark, warehouse="./warehouse")    # opens (or makes) the registry of that warehouse

    st.create_stream_table("sales.by_region", "SELECT region, sum(amount) AS total FROM sales.orders GROUP BY region",
                           schedule="5m", refresh_mode="AUTO")
    r = st.refresh("sales.by_region")   # r.action, r.reason, r.rows_inserted, r.rows_deleted, r.version, r.frontier, r.seconds  # noqa: E501
    # fmt: on
    assert (r.action, r.reason, r.rows_inserted, r.version) == ("NO_DATA", "NO_CHANGE", 0, None)
    spark.sql("INSERT INTO sales.orders VALUES ('n', 5), ('s', 1)")
    (r,) = st.refresh_all()
    assert (r.action, r.rows_inserted, r.rows_deleted, r.version) == ("INCREMENTAL", 2, 1, 1)
    assert st.refresh("sales.by_region", full=True).measures["spark_jobs"] > 0
    assert r.frontier.positions["`sales`.`orders`"].version == 1
    assert r.since.positions["`sales`.`orders`"].version == 0
    assert r.measures["source_rows_changed"] == 2
    assert 0 < r.seconds < 600
    assert "key (region)" in str(st.explain("sales.by_region"))
    assert st.verify("sales.by_region").is_same
    (status,) = st.status()
    assert (status["name"], status["schedule"]) == ("sales.by_region", "5m")
    assert [row.action for row in st.history("sales.by_region")] == [
        "FULL",
        "INCREMENTAL",
        "NO_DATA",
        "FULL",
    ]
    assert len(st.changes("sales.by_region", since=0).collect()) == 3
    query = "SELECT region, count(*) AS orders FROM sales.orders GROUP BY region"
    st.alter_stream_table("sales.by_region", query=query, schedule="1h")
    st.pause("sales.by_region")
    assert st.status()[0]["status"] == "PAUSED"
    st.resume("sales.by_region")
    st.drop_stream_table("sales.by_region")
    st.sql("CREATE STREAM TABLE sales.t SCHEDULE '10s' AS SELECT * FROM sales.orders")
    assert st.sql("SELECT count(*) FROM sales.t").collect()[0][0] == 3
    st.sql("DROP STREAM TABLE sales.t")
    assert [table.name for table in spark.catalog.listTables("sales")] == ["orders"]
    spark.sql("DROP SCHEMA sales CASCADE")


def test_a_refresh_without_news_runs_no_job_and_makes_no_commit(lake: Lake) -> None:
    st = lake.st
    st.create_stream_table(f"{lake}.total", f"SELECT sum(amount) AS total FROM {lake}.orders")
    st.refresh(f"{lake}.total")
    started, rounds = time.perf_counter(), 20
    assert jobs(lake.spark, lambda: [st.refresh(f"{lake}.total") for _ in range(rounds)]) == 0
    print(f"no change: {(time.perf_counter() - started) / rounds * 1000:.1f} ms")
    assert lake.version("total") == 0
    assert {row.reason for row in st.history(f"{lake}.total", rounds)} == {"NO_CHANGE"}


def test_history_keeps_every_attempt_and_changes_are_net(lake: Lake) -> None:
    st, name = lake.st, f"{lake}.shares"
    st.create_stream_table(name, f"SELECT id, 100 / amount AS share FROM {lake}.orders")
    lake.sql(f"INSERT INTO {lake}.orders VALUES (9, 'x', 0)")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        st.refresh(name)
    failed = st.history(name)[0]
    assert (failed.action, failed.rows_inserted) == ("FAILED", 0)
    assert "DIVIDE_BY_ZERO" in str(failed.error)
    assert "DIVIDE_BY_ZERO" in str(
        next(row["message"] for row in st.status() if row["name"] == name)
    )
    lake.sql(f"UPDATE {lake}.orders SET amount = 4 WHERE id = 9")
    assert st.refresh(name).action == "INCREMENTAL"
    lake.sql(
        f"DELETE FROM {lake}.orders WHERE id = 9",
        f"UPDATE {lake}.orders SET amount = 50 WHERE id = 1",
    )
    st.refresh(name)
    lake.check("shares")
    assert lake.rows(f"SELECT count(*) FROM {name}") == {(3,): 1}
    changes = {tuple(row) for row in st.changes(name, since=0).collect()}
    assert changes == {(1, 10.0, -1), (1, 2.0, 1)}
    assert [row.action for row in st.history(name)] == [
        "INCREMENTAL",
        "INCREMENTAL",
        "FAILED",
        "FULL",
    ]


def test_drop_refuses_while_read_then_leaves_nothing(lake: Lake) -> None:
    st = lake.st
    st.create_stream_table(f"{lake}.lower", f"SELECT id, amount FROM {lake}.orders")
    st.create_stream_table(f"{lake}.upper", f"SELECT max(amount) AS most FROM {lake}.lower")
    with pytest.raises(InUse, match=r"verbs\.lower is read by verbs\.upper"):
        st.drop_stream_table(f"{lake}.lower")
    lake.check("lower")
    st.drop_stream_table(f"{lake}.upper")
    st.drop_stream_table(f"{lake}.lower")
    assert not lake.path("lower").exists()
    for verb in (st.refresh, st.drop_stream_table, st.verify, st.history, st.pause):
        with pytest.raises(NotAStreamTable, match=r"no stream table verbs\.lower"):
            verb(f"{lake}.lower")
    st.create_stream_table(f"{lake}.lower", f"SELECT region FROM {lake}.orders")
    lake.check("lower")


def test_alter(lake: Lake) -> None:
    st, name, orders = lake.st, f"{lake}.altered", f"{lake}.orders"
    lake.sql(f"INSERT INTO {orders} VALUES (7, 'w', 70)")
    st.create_stream_table(name, f"SELECT id, amount FROM {orders}", "5m")
    st.create_stream_table(f"{lake}.reader", f"SELECT sum(amount) AS total FROM {name}")
    few = f"SELECT id, amount FROM {orders} WHERE id < 3"
    preview = {
        row["name"]: row["action"] for row in st.sql(f"PREVIEW ALTER STREAM TABLE {name} AS {few}")
    }
    assert preview == {name: "rebuild", f"{lake}.reader": "incremental"}
    assert "WHERE" not in lake.definition("altered").query, "nothing was done"
    st.alter_stream_table(name, query=few)
    last = st.history(name)[0]
    assert (last.action, last.reason) == ("REINITIALIZE", "QUERY_CHANGED")
    assert (last.rows_inserted, last.rows_deleted) == (0, 2), "only the difference was written"
    assert st.refresh(f"{lake}.reader").action == "INCREMENTAL"
    other = st.alter_stream_table(name, query=f"SELECT id, amount, region FROM {orders}")
    assert other == st.history(name)[0]
    assert (other.action, other.reason) == ("REINITIALIZE", "QUERY_CHANGED")
    assert (other.rows_inserted, other.rows_deleted) == (4, 2)
    assert lake.rows(f"SELECT * FROM {name}") == lake.rows(
        f"SELECT id, amount, region FROM {orders}"
    )
    st.refresh(f"{lake}.reader")
    lake.check("reader")
    st.alter_stream_table(name, schedule=None, refresh_mode="full")
    table = lake.definition("altered")
    assert (table.schedule, table.refresh_mode.value) == (None, "FULL")
    assert st.engine.definition(table.name) == table
    lake.sql(f"INSERT INTO {orders} VALUES (4, 's', 7)")
    assert (st.refresh(name).reason, st.refresh(name).reason) == ("MODE_FULL", "NO_CHANGE")
    lake.check("altered")
    refresh = st.refresh(f"{lake}.reader")
    assert refresh.action == "INCREMENTAL", "FULL writes only the difference"
    lake.check("reader")


def test_a_lost_registry_is_rebuilt_from_the_tables(lake: Lake) -> None:
    before = {table.name: table for table in lake.st.list()}
    stood = {key: (f.number, f.positions) for key, f in lake.st.catalog.frontiers().items()}
    lake.st.close()
    for file in (lake.folder / "_streamtables").glob("registry.db*"):
        file.unlink()
    lake.st = lake.opened()
    assert lake.st.list() == []
    found = lake.st.rebuild_registry()
    assert {str(name) for name in before} == set(found)
    assert {table.name: table for table in lake.st.list()} == before
    stand = {key: (f.number, f.positions) for key, f in lake.st.catalog.frontiers().items()}
    assert stood.items() <= stand.items()
    lake.sql(f"INSERT INTO {lake}.orders VALUES (5, 's', 8)")
    assert lake.st.refresh(f"{lake}.total").action == "INCREMENTAL"
    lake.check("total")


def test_a_foreign_write_is_noticed_and_healed(lake: Lake) -> None:
    st, name = lake.st, f"{lake}.written"
    st.create_stream_table(name, f"SELECT region, amount FROM {lake}.orders")
    lake.sql(f"DELETE FROM {name} WHERE region IS NULL", f"INSERT INTO {name} VALUES ('bad', 1)")
    refresh = st.refresh(name)
    assert (refresh.action, refresh.reason) == ("REINITIALIZE", "RESULT_CHANGED")
    lake.check("written")
    lake.sql(f"OPTIMIZE {name}", f"ALTER TABLE {name} SET TBLPROPERTIES ('a' = 'b')")
    assert st.refresh(name).reason == "NO_CHANGE", "moving rows between files changes none"
