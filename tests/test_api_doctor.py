"""The doctor, on tables and sources that lack something."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.config import DoctorSettings
from streamtables.refresh.doctor import Checkup, examine

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PROPERTIES = "delta.deletedFileRetentionDuration' = 'interval 10 hours"


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    lake = Lake(spark, tmp_path_factory.mktemp("doctor"), "doctor")
    lake.sql(
        f"CREATE TABLE {lake}.s (id INT, v INT) USING delta TBLPROPERTIES ('{PROPERTIES}')",
        f"INSERT INTO {lake}.s VALUES (1, 1), (2, 2)",
    )
    lake.st.create_stream_table(f"{lake}.t", f"SELECT id, v FROM {lake}.s", schedule="5m")
    return lake


def in_hours(lake: Lake, hours: float, settings: DoctorSettings | None = None) -> Checkup:
    st, now = lake.st, datetime.now(timezone.utc) + timedelta(hours=hours)
    carried = st.engine.find()
    return examine(st.engine, st.catalog, carried, settings or DoctorSettings(), now)


def codes(found: Checkup) -> set[tuple[str, str]]:
    return {(finding.code, finding.name.partition(".")[2]) for finding in found.findings}


def test_headroom_runs_out_with_what_is_not_taken_in_yet(lake: Lake) -> None:
    healthy = {("NO_DELETION_VECTORS", "s")}
    found = lake.st.doctor()
    assert (codes(found), bool(found)) == (healthy, True)
    (row,) = found.headroom
    assert (row.taken_in, row.newest, row.seconds) == (1, 1, 36_000)
    assert bool(in_hours(lake, 1000)), "what is taken in cannot be lost"
    lake.sql(f"UPDATE {lake}.s SET v = 5 WHERE id = 1")
    assert codes(in_hours(lake, 4)) == healthy
    late = in_hours(lake, 6)
    assert (codes(late), bool(late)) == (healthy | {("HISTORY_ENDS_SOON", "t")}, False)
    assert "4.0 hours more" in next(
        f.message for f in late.findings if f.code == "HISTORY_ENDS_SOON"
    )
    lake.sql(f"OPTIMIZE {lake}.s", f"VACUUM {lake}.s RETAIN 0 HOURS")
    assert codes(lake.st.doctor()) == healthy | {("HISTORY_LOST", "t")}
    assert lake.st.refresh(f"{lake}.t").reason == "SOURCE_HISTORY_LOST"
    assert codes(lake.st.doctor()) == healthy


def test_tables_out_of_step_with_the_registry_and_badly_kept(lake: Lake) -> None:
    st = lake.st
    lake.sql(f"CREATE TABLE {lake}.csv (id INT) USING csv")
    st.create_stream_table(f"{lake}.rare", f"SELECT id FROM {lake}.s", schedule="20h")
    st.create_stream_table(f"{lake}.lost", f"SELECT id FROM {lake}.csv")
    st.create_stream_table(f"{lake}.gone", f"SELECT v FROM {lake}.s")
    st.catalog.remove(lake.definition("lost").id)
    st.pause(f"{lake}.rare")
    lake.sql(f"DROP TABLE {lake}.gone", f"INSERT INTO {lake}.t VALUES (9, 9)")
    found = in_hours(lake, 0, DoctorSettings(small_files=0))
    wanted = {
        ("NO_DELETION_VECTORS", "s"), ("SMALL_FILES", "s"), ("SMALL_FILES", "t"), ("SMALL_FILES", "rare"),
        ("RESULT_CHANGED", "t"), ("PAUSED", "rare"), ("KEEPS_TOO_SHORT", "rare"), ("TABLE_MISSING", "gone"),
        ("NOT_REGISTERED", "lost"),
    }  # fmt: skip
    assert codes(found) == wanted
    assert not found
    st.drop_stream_table(f"{lake}.gone")
    assert st.rebuild_registry() == [f"{lake}.lost"]
    lake.sql(f"DROP TABLE {lake}.s")
    lake.sql(f"CREATE TABLE {lake}.s (id INT, v INT) USING delta")
    assert codes(st.doctor()) >= {("HISTORY_LOST", "t"), ("MIRRORED", "csv")}
    lake.sql(f"DROP TABLE {lake}.s")
    assert ("UNREADABLE", "s") in codes(st.doctor())


def test_tables_of_another_warehouse_are_left_to_it(spark: SparkSession, tmp_path: Path) -> None:
    """Whose a table is, is told by its folder, or by what it says where its schema lies elsewhere."""
    here, there = (Lake(spark, tmp_path / name, f"doctor_{name}") for name in ("here", "there"))
    spark.sql(f"CREATE SCHEMA doctor_aside LOCATION '{tmp_path}/aside'")
    here.sql(f"CREATE TABLE {here}.s (id INT) USING delta")
    for lake, name in ((here, "doctor_aside.t"), (there, f"{there}.t")):
        lake.st.create_stream_table(name, f"SELECT id FROM {here}.s")
        (table,) = lake.st.list()
        lake.st.catalog.remove(table.id)
        missing = [one.name for one in lake.st.doctor().findings if one.code == "NOT_REGISTERED"]
        assert missing == [name]
        assert lake.st.rebuild_registry() == [name]
        assert lake.st.list() == [table]
