"""What may happen to a source, and what the next refresh makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from helpers.sample import sampled

from streamtables.errors import SourceChanged, StreamTablesError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# What happens to the source `$`, and the action and reason of the refresh after it.
EVENTS = {
    "insert": (["INSERT INTO $ VALUES (8, 1, 1)"], "INCREMENTAL", "CHANGE_SMALL"),
    "merge": (
        ["MERGE INTO $ t USING (SELECT explode(array(1, 99)) AS id) s ON t.id = s.id "
         "WHEN MATCHED THEN UPDATE SET v = 50 WHEN NOT MATCHED THEN INSERT (id, k, v) VALUES (s.id, 1, 9)"],
        "INCREMENTAL", "CHANGE_SMALL"),
    "optimize": (["OPTIMIZE $"], "NO_DATA", "NO_NET_CHANGE"),
    "there and back": (
        ["UPDATE $ SET v = 7 WHERE id = 1", "UPDATE $ SET v = 1 WHERE id = 1"],
        "NO_DATA", "NO_NET_CHANGE"),
    "unused column written": (["UPDATE $ SET u = 'other'"], "NO_DATA", "NO_NET_CHANGE"),
    "truncate": (["TRUNCATE TABLE $", "INSERT INTO $ VALUES (1, 1, 5, 'x')"], "INCREMENTAL", "CHANGE_SMALL"),
    "insert overwrite": (["INSERT OVERWRITE $ SELECT * FROM $ WHERE id > 1"], "INCREMENTAL", "CHANGE_SMALL"),
    "restore": (["DELETE FROM $ WHERE id = 2", "RESTORE TABLE $ TO VERSION AS OF 0"], "INCREMENTAL", "CHANGE_SMALL"),
    "feed on and off": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
         "UPDATE $ SET v = v + 1 WHERE id = 1",
         "ALTER TABLE $ SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')",
         "DELETE FROM $ WHERE id = 2"],
        "INCREMENTAL", "CHANGE_SMALL"),
    "unused column added": (
        ["ALTER TABLE $ ADD COLUMN more STRING", "INSERT INTO $ VALUES (8, 1, 1, 'u', 'm')"],
        "INCREMENTAL", "CHANGE_SMALL"),
    "unused column dropped": (
        ["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
         "ALTER TABLE $ DROP COLUMN u", "DELETE FROM $ WHERE id = 1"],
        "INCREMENTAL", "CHANGE_SMALL"),
    "made again": (
        ["DROP TABLE $", "CREATE TABLE $ USING delta AS SELECT 1 AS id, 1 AS k, 44 AS v, 'n' AS u"],
        "REINITIALIZE", "SOURCE_REPLACED"),
    "replaced, same columns": (
        ["CREATE OR REPLACE TABLE $ USING delta AS SELECT 1 AS id, 1 AS k, 45 AS v, 'n' AS u"],
        "REINITIALIZE", "SOURCE_REPLACED"),
    "vacuumed": (
        ["UPDATE $ SET v = v + 1", "UPDATE $ SET v = v + 1", "OPTIMIZE $", "VACUUM $ RETAIN 0 HOURS"],
        "REINITIALIZE", "SOURCE_HISTORY_LOST"),
}  # fmt: skip

# What happens to the source `$`, and a word of the error.
REFUSED = {
    "used column dropped": (["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
                             "ALTER TABLE $ DROP COLUMN v"], "v"),
    "used column renamed": (["ALTER TABLE $ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
                             "ALTER TABLE $ RENAME COLUMN v TO w"], "v"),
    "used column retyped": (["CREATE OR REPLACE TABLE $ USING delta AS SELECT 1 AS id, 1 AS k, 'text' AS v, 'n' AS u"],
                            "total double"),
    "gone": (["DROP TABLE $"], r"changing\.s"),
    "now a view": (["DROP TABLE $", "CREATE VIEW $ AS SELECT 1 AS id, 1 AS k, 1 AS v"], r"changing\.s"),
}  # fmt: skip


@pytest.fixture(scope="module")
def home(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    return tmp_path_factory.mktemp("changing")


@pytest.fixture
def lake(spark: SparkSession, home: Path, request: pytest.FixtureRequest) -> Iterator[Lake]:
    lake = Lake(spark, home / str(abs(hash(request.node.name))), "changing")
    lake.sql(
        f"CREATE TABLE {lake}.s (id INT, k INT, v INT, u STRING) USING delta",
        f"INSERT INTO {lake}.s VALUES (1, 1, 1, 'a'), (2, 1, 2, 'b'), (3, 2, 3, 'c'), (3, 2, 3, 'c')",
    )
    lake.st.create_stream_table(
        f"{lake}.t", f"SELECT id, sum(v) AS total FROM {lake}.s WHERE k < 9 GROUP BY id"
    )
    yield lake
    spark.sql("DROP SCHEMA changing CASCADE")


@pytest.mark.parametrize("event", sampled(EVENTS, 3))
def test_followed(lake: Lake, event: str) -> None:
    texts, action, reason = EVENTS[event]
    lake.sql(
        *(text.replace("$", f"{lake}.s").replace("(8, 1, 1)", "(8, 1, 1, 'u')") for text in texts)
    )
    refresh = lake.st.refresh(f"{lake}.t")
    assert (refresh.action, refresh.reason) == (action, reason)
    lake.check("t")
    assert lake.version("t") == (0 if action == "NO_DATA" else 1)
    assert lake.st.refresh(f"{lake}.t").reason == "NO_CHANGE"
    lake.sql(f"INSERT INTO {lake}.s (id, k, v) VALUES (3, 2, 1)")
    assert lake.st.refresh(f"{lake}.t").action == "INCREMENTAL"
    lake.check("t")


@pytest.mark.parametrize("event", sampled(REFUSED, 2))
def test_refused(lake: Lake, event: str) -> None:
    texts, word = REFUSED[event]
    before = lake.rows(f"SELECT * FROM {lake}.t")
    lake.sql(*(text.replace("$", f"{lake}.s") for text in texts))
    with pytest.raises(StreamTablesError, match=word) as refused:
        lake.st.refresh(f"{lake}.t")
    if "column" in event:
        assert isinstance(refused.value, SourceChanged)
    assert refused.value.hint
    assert lake.rows(f"SELECT * FROM {lake}.t") == before
    assert (lake.version("t"), lake.st.history(f"{lake}.t")[0].action) == (0, "FAILED")
    lake.sql(
        f"DROP VIEW IF EXISTS {lake}.s" if "view" in event else f"DROP TABLE IF EXISTS {lake}.s"
    )
    lake.sql(f"CREATE TABLE {lake}.s USING delta AS SELECT 1 AS id, 1 AS k, 46 AS v, 'n' AS u")
    assert lake.st.refresh(f"{lake}.t").action == "REINITIALIZE"
    lake.check("t")


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_source_that_is_not_delta_is_mirrored(lake: Lake, kind: str) -> None:
    files, name = f"{lake}.{kind}_files", f"{lake}.of_{kind}"
    lake.sql(f"CREATE TABLE {files} (k INT, v STRING) USING {kind}")
    lake.sql(f"INSERT INTO {files} VALUES (1, 'a'), (1, 'a'), (NULL, 'n')")
    lake.st.create_stream_table(name, f"SELECT k, v FROM {files}", refresh_mode="INCREMENTAL")
    assert lake.definition(f"of_{kind}").sources[0].kind.value == "MIRRORED"
    lake.check(f"of_{kind}")
    assert lake.st.refresh(name).reason == "NO_CHANGE"
    lake.sql(f"INSERT INTO {files} VALUES (2, 'b'), (1, 'a')")
    refresh = lake.st.refresh(name)
    assert (refresh.action, refresh.rows_inserted, refresh.rows_deleted) == ("INCREMENTAL", 2, 0)
    lake.check(f"of_{kind}")
    lake.sql(f"INSERT OVERWRITE {files} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    refresh = lake.st.refresh(name)
    assert (refresh.action, refresh.rows_inserted, refresh.rows_deleted) == ("INCREMENTAL", 1, 3)
    lake.check(f"of_{kind}")


def test_what_is_downstream_of_a_full_refresh_stays_incremental(lake: Lake) -> None:
    st = lake.st
    st.create_stream_table(f"{lake}.all_of_it", f"SELECT id, v FROM {lake}.s", refresh_mode="FULL")
    st.create_stream_table(
        f"{lake}.sums", f"SELECT sum(v) AS v FROM {lake}.all_of_it", refresh_mode="INCREMENTAL"
    )
    lake.sql(f"UPDATE {lake}.s SET v = 9 WHERE id = 2")
    refresh = st.refresh(f"{lake}.sums")
    above = st.history(f"{lake}.all_of_it")[0]
    assert (above.action, above.rows_inserted, above.rows_deleted) == ("FULL", 1, 1)
    assert (refresh.action, refresh.measures["source_rows_changed"]) == ("INCREMENTAL", 2)
    lake.check("all_of_it")
    lake.check("sums")
