"""What operators do to sources between two refreshes: the rarer things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.errors import SourceChanged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# What happens to the source `$` (of columns id, k, v, u; partitioned by k), and the action of the refresh after it.
EVENTS = {
    "a used column widened": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
         "ALTER TABLE $ ALTER COLUMN v TYPE BIGINT", "INSERT INTO $ VALUES (8, 1, 5000000000, 'u')"],
        "REINITIALIZE"),
}  # fmt: skip

# Why those begin anew that do.
REASONS = {
    "a used column widened": "SOURCE_SCHEMA_CHANGED",
    "other partitions": "SOURCE_REPLACED",
    "feed vacuumed": "SOURCE_HISTORY_LOST",
    "a used column dropped and made again": "SOURCE_SCHEMA_CHANGED",
}

RARER_EVENTS = {
    "a partition overwritten": (
        ["INSERT INTO $ REPLACE WHERE k = 1 SELECT 1 AS id, 1 AS k, 70 AS v, 'n' AS u"], "INCREMENTAL"),
    "other partitions": (
        ["INSERT INTO $ VALUES (8, 3, 1, 'u')",
         "CREATE OR REPLACE TABLE $ USING delta PARTITIONED BY (id) AS SELECT * FROM $ VERSION AS OF 2"],
        "REINITIALIZE"),
    "two rows change places": (["UPDATE $ SET id = 3 - id WHERE id IN (1, 2)"], "INCREMENTAL"),
    "an unused column widened": (
        ["ALTER TABLE $ ADD COLUMN w INT", "UPDATE $ SET w = 1 WHERE id = 1",
         "ALTER TABLE $ SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
         "ALTER TABLE $ ALTER COLUMN w TYPE BIGINT", "DELETE FROM $ WHERE id = 2"],
        "INCREMENTAL"),
    "columns moved and described": (
        ["ALTER TABLE $ ALTER COLUMN v FIRST", "ALTER TABLE $ ALTER COLUMN v COMMENT 'the value'",
         "INSERT INTO $ (id, k, v, u) VALUES (8, 1, 1, 'u')"],
        "INCREMENTAL"),
    "deletion vectors on, then purged": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", "DELETE FROM $ WHERE id = 2",
         "REORG TABLE $ APPLY (PURGE)"],
        "INCREMENTAL"),
    "purged and nothing else": (["REORG TABLE $ APPLY (PURGE)", "OPTIMIZE $ ZORDER BY (id)"], "NO_DATA"),
    "restored to before the frontier": (["RESTORE TABLE $ TO VERSION AS OF 1"], "INCREMENTAL"),
    "restored and written on": (
        ["OPTIMIZE $", "RESTORE TABLE $ TO VERSION AS OF 1", "INSERT INTO $ VALUES (9, 1, 9, 'u')", "OPTIMIZE $"],
        "INCREMENTAL"),
    "vacuumed behind the frontier": (["VACUUM $ RETAIN 0 HOURS", "INSERT INTO $ VALUES (9, 1, 9, 'u')"], "INCREMENTAL"),
    "feed vacuumed": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')", "UPDATE $ SET v = v + 1",
         "VACUUM $ RETAIN 0 HOURS"],
        "REINITIALIZE"),
    "columns mapped by name, then written": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "UPDATE $ SET v = 60 WHERE id = 1"],
        "INCREMENTAL"),
    "an unused column renamed": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
         "ALTER TABLE $ RENAME COLUMN u TO w", "UPDATE $ SET v = 60 WHERE id = 1"],
        "INCREMENTAL"),
    "an unused column dropped and made again": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "ALTER TABLE $ DROP COLUMN u",
         "ALTER TABLE $ ADD COLUMN u STRING", "UPDATE $ SET v = 60 WHERE id = 1"],
        "INCREMENTAL"),
    "a used column dropped and made again": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "ALTER TABLE $ DROP COLUMN v",
         "ALTER TABLE $ ADD COLUMN v INT", "INSERT INTO $ (id, k, v) VALUES (7, 1, 7)"],
        "REINITIALIZE"),
}  # fmt: skip


@pytest.fixture(scope="module")
def home(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    return tmp_path_factory.mktemp("events")


@pytest.fixture
def lake(spark: SparkSession, home: Path, request: pytest.FixtureRequest) -> Iterator[Lake]:
    lake = Lake(spark, home / str(abs(hash(request.node.name))), "events")
    lake.sql(
        f"CREATE TABLE {lake}.s (id INT, k INT, v INT, u STRING) USING delta PARTITIONED BY (k)",
        f"INSERT INTO {lake}.s VALUES (1, 1, 1, 'a'), (2, 1, 2, 'b')",
        f"INSERT INTO {lake}.s VALUES (3, 2, 3, 'c'), (3, 2, 3, 'c')",
    )
    lake.st.create_stream_table(
        f"{lake}.t", f"SELECT id, sum(v) AS total FROM {lake}.s WHERE k < 9 GROUP BY id"
    )
    yield lake
    spark.sql("DROP SCHEMA events CASCADE")


@pytest.mark.parametrize(
    "event", [*EVENTS, *(pytest.param(name, marks=pytest.mark.slow) for name in RARER_EVENTS)]
)
def test_followed(lake: Lake, event: str) -> None:
    texts, action = {**EVENTS, **RARER_EVENTS}[event]
    lake.sql(*(text.replace("$", f"{lake}.s") for text in texts))
    refresh = lake.st.refresh(f"{lake}.t")
    assert refresh.action == action
    assert refresh.reason == REASONS.get(event, refresh.reason)
    assert (refresh.action == "REINITIALIZE") == (event in REASONS)
    lake.check("t")
    assert lake.st.refresh(f"{lake}.t").reason == "NO_CHANGE"
    lake.sql(f"INSERT INTO {lake}.s (id, k, v) VALUES (3, 2, 1)")
    assert lake.st.refresh(f"{lake}.t").action == "INCREMENTAL"
    lake.check("t")


def test_a_log_that_was_cleaned_up_begins_anew(lake: Lake) -> None:
    lake.sql(f"ALTER TABLE {lake}.s SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    lake.sql(f"INSERT INTO {lake}.s VALUES (4, 1, 4, 'd')", f"DELETE FROM {lake}.s WHERE id = 1")
    log = lake.path("s") / "_delta_log"
    for version in range(5):
        (log / f"{version:020}.json").unlink()
    refresh = lake.st.refresh(f"{lake}.t")
    assert (refresh.action, refresh.reason) == ("REINITIALIZE", "SOURCE_HISTORY_LOST")
    lake.check("t")
    lake.sql(f"INSERT INTO {lake}.s VALUES (5, 1, 5, 'e')")
    assert lake.st.refresh(f"{lake}.t").action == "INCREMENTAL"
    lake.check("t")


def test_only_the_tables_that_use_a_column_are_touched_by_its_change(lake: Lake) -> None:
    lake.st.create_stream_table(f"{lake}.names", f"SELECT id, u FROM {lake}.s")
    lake.sql(
        f"ALTER TABLE {lake}.s SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        f"ALTER TABLE {lake}.s DROP COLUMN u",
        f"UPDATE {lake}.s SET v = 50 WHERE id = 1",
    )
    with pytest.raises(SourceChanged, match=r"events\.names no longer fits .*u.*[Aa]lter"):
        lake.st.refresh(f"{lake}.names")
    assert lake.st.refresh(f"{lake}.t").action == "INCREMENTAL"
    lake.check("t")
    lake.st.alter_stream_table(f"{lake}.names", query=f"SELECT id FROM {lake}.s")
    lake.check("names")
    lake.sql(f"INSERT INTO {lake}.s (id, k, v) VALUES (6, 2, 6)")
    assert lake.st.refresh(f"{lake}.names").action == "INCREMENTAL"
    lake.check("names")
