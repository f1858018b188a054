"""The log of a Delta table, and the contract with Delta's own classes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from helpers.versions import jobs

from streamtables.errors import UnknownTable
from streamtables.model import TableName
from streamtables.spark.actions import Break, SourceBroken
from streamtables.spark.continuity import check
from streamtables.spark.internals import files_of
from streamtables.spark.log import DeltaLog

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


class Table:
    """A Delta table with one column, and its log."""

    def __init__(self, spark: SparkSession, path: Path, columns: str = "a INT") -> None:
        self.spark, self.path, self.name = spark, path, f"delta.`{path}`"
        self.create(columns)
        self.log = DeltaLog.of(spark, str(path))

    def create(self, columns: str = "a INT") -> None:
        self.run(f"CREATE TABLE {{t}} ({columns}) USING delta")

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.spark.sql(statement.replace("{t}", self.name))

    def file(self, version: int) -> Path:
        return self.path / "_delta_log" / f"{version:020}.json"

    def delta_version(self) -> int:
        return int(self.log.java_snapshot().version())


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Table:
    return Table(spark, tmp_path / "a table %20 ä")


def test_the_latest_version_follows_every_commit(table: Table) -> None:
    for value in range(3):
        assert table.log.latest() == table.delta_version() == value
        table.run(f"INSERT INTO {{t}} VALUES ({value})")
    assert jobs(table.spark, table.log.latest) == 0


def test_the_latest_version_is_known_after_checkpoint_and_cleanup(table: Table) -> None:
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    for version in range(3):
        table.file(version).unlink()
    assert table.log.latest() == table.delta_version() == 3
    table.file(3).unlink()
    assert table.log.latest() == 3


def test_a_table_made_again_is_another_table(table: Table) -> None:
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    before = table.log.position()
    shutil.rmtree(table.path)
    with pytest.raises(UnknownTable, match="gone"):
        table.log.latest()
    table.create()
    assert table.log.latest() == 0
    after = table.log.position()
    assert (after.version, after.schema_hash) == (0, before.schema_hash)
    assert after.table_id != before.table_id
    assert check(table.log, before, after, ["a"]).reason is Break.REPLACED


def test_a_table_made_again_with_as_many_versions_is_another_table(table: Table) -> None:
    table.run("INSERT INTO {t} VALUES (1)")
    before = table.log.position()
    # The log folder stays, so only the commit files tell.
    for file in (table.path / "_delta_log").glob("*.*"):
        file.unlink()
    other = Table(table.spark, table.path.with_name("other"))
    other.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    for file in (other.path / "_delta_log").glob("*.json"):
        shutil.copy(file, table.path / "_delta_log" / file.name)
    assert table.log.position().table_id == other.log.position().table_id != before.table_id


def test_create_or_replace_makes_another_table(spark: SparkSession) -> None:
    name = TableName.parse("replaced")
    spark.sql("CREATE OR REPLACE TABLE replaced (a INT) USING delta")
    log = DeltaLog.named(spark, name)
    assert log
    before = log.position()
    spark.sql("CREATE OR REPLACE TABLE replaced (a INT) USING delta")
    after = log.position()
    assert after.version == before.version + 1
    assert check(log, before, after, ["a"]).reason is Break.REPLACED
    spark.sql("DROP TABLE replaced")


def test_a_lost_last_commit_is_noticed(table: Table) -> None:
    table.run("INSERT INTO {t} VALUES (1)")
    before = table.log.position()
    table.file(1).unlink()
    found = check(table.log, before, table.log.position(), ["a"])
    assert found.reason is Break.REPLACED
    with pytest.raises(SourceBroken, match="version 1") as error:
        table.log.commits(0, 1)
    assert error.value.reason is Break.VERSIONS_MISSING


def test_a_lost_commit_in_between_is_noticed(table: Table) -> None:
    before = table.log.position()
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    table.file(1).unlink()
    assert table.log.latest() == 2
    after = before.__class__(before.table_id, 2, before.schema_hash)
    assert check(table.log, before, after, ["a"]).reason is Break.VERSIONS_MISSING


def test_a_position_needs_no_job_and_sees_the_schema_change(table: Table) -> None:
    first = table.log.position()
    table.run("INSERT INTO {t} VALUES (1)", "ALTER TABLE {t} SET TBLPROPERTIES ('x' = 'y')")
    assert jobs(table.spark, table.log.position) == 0
    second = table.log.position()
    assert (second.version, second.schema_hash) == (2, first.schema_hash)
    table.run("ALTER TABLE {t} ADD COLUMN b STRING COMMENT 'new'")
    assert table.log.position().schema_hash != first.schema_hash
    assert table.log.position() == DeltaLog.of(table.spark, str(table.path)).position()


def test_a_snapshot_says_what_the_table_is(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    spark.sql(
        f"CREATE TABLE delta.`{path}` (a DECIMAL(10,2), `b c` ARRAY<STRUCT<x: INT>>, p INT)"
        " USING delta PARTITIONED BY (p)"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'k' = 'v')"
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, NULL, 1)")
    log = DeltaLog.of(spark, str(path))
    found = log.snapshot()
    assert [str(column.type) for column in found.metadata.columns] == [
        "decimal(10,2)",
        "array<struct<x:int>>",
        "int",
    ]
    assert found.version == 1
    assert found.metadata.partition_columns == ("p",)
    assert found.metadata.properties["k"] == "v"
    assert "columnMapping" in found.features
    assert jobs(spark, log.snapshot) == 0


def test_files_are_listed_without_a_job(table: Table) -> None:
    table.run(
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(20)",
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(20, 30)",
        "DELETE FROM {t} WHERE a = 3",
        "DELETE FROM {t} WHERE a >= 20",
        "RESTORE TABLE {t} TO VERSION AS OF 4",
    )
    for version in (6, 3, 4, 6):
        log = DeltaLog(table.spark, table.log.path)
        assert jobs(table.spark, lambda: log.files(version)) == 0  # noqa: B023
        assert _kept(log.files(version)) == _kept(files_of(table.spark, log.java_snapshot(version)))
    assert len(log.files()) == 2
    # Of commits that were cleaned up, Delta's checkpoint tells.
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '4')")
    table.run("INSERT INTO {t} VALUES (40)")
    table.file(0).unlink()
    after = DeltaLog(table.spark, table.log.path).files()
    assert _kept(after) == _kept(files_of(table.spark, table.log.java_snapshot()))


def _kept(files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {path: (file["size"], file.get("deletionVector")) for path, file in files.items()}


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("ALTER TABLE {t} ADD COLUMN d INT", ()),
        ("ALTER TABLE {t} DROP COLUMN b", ("b",)),
        ("ALTER TABLE {t} DROP COLUMN c", ()),
        ("ALTER TABLE {t} RENAME COLUMN b TO d", ("b",)),
        ("ALTER TABLE {t} RENAME COLUMN c TO d", ()),
        ("ALTER TABLE {t} CHANGE COLUMN a TYPE BIGINT", ("A",)),
        ("ALTER TABLE {t} CHANGE COLUMN c COMMENT 'x'", ()),
        ("ALTER TABLE {t} ADD COLUMN s.y INT", ("s",)),
        ("ALTER TABLE {t} CHANGE COLUMN b AFTER c", ()),
    ],
)
def test_only_a_change_of_used_columns_breaks(
    spark: SparkSession, tmp_path: Path, statement: str, changed: tuple[str, ...]
) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b INT, c INT, s STRUCT<x: INT>")
    table.run(
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name',"
        " 'delta.enableTypeWidening' = 'true')"
    )
    before = table.log.position()
    table.run(statement)
    found = check(table.log, before, table.log.position(), ["A", "b", "s"])
    assert found.columns == changed
    assert found.reason is (Break.SCHEMA_CHANGED if changed else None)


def test_columns_that_swap_their_names_have_changed(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b INT")
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    before = table.log.position()
    table.run(
        "ALTER TABLE {t} RENAME COLUMN a TO c",
        "ALTER TABLE {t} RENAME COLUMN b TO a",
        "ALTER TABLE {t} RENAME COLUMN c TO b",
    )
    assert check(table.log, before, table.log.position(), ["a", "b"]).columns == ("a", "b")


def test_turning_on_column_mapping_changes_no_column(table: Table) -> None:
    before = table.log.position()
    table.run("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    assert table.log.position().schema_hash == before.schema_hash


def test_commits_say_how_many_rows_they_change(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t")
    table.run(
        "INSERT INTO {t} SELECT id FROM range(0, 10, 1, 1)",
        "UPDATE {t} SET a = 20 WHERE a = 2",
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "DELETE FROM {t} WHERE a IN (3, 4)",
        "MERGE INTO {t} USING (SELECT * FROM VALUES (5), (99) AS v(k)) ON a = k"
        " WHEN MATCHED THEN UPDATE SET a = 50 WHEN NOT MATCHED THEN INSERT (a) VALUES (k)",
        "OPTIMIZE {t}",
        "INSERT OVERWRITE {t} VALUES (1)",
    )
    commits = table.log.commits(-1, table.log.latest())
    assert [commit.rows for commit in commits] == [0, 10, 2, 0, 2, 3, 0, None]
    assert [commit.version for commit in commits if not commit.changes_rows] == [0, 3, 6]
    assert [commit.version for commit in commits if commit.metadata] == [0, 3]


def test_transactions_are_found_behind_other_commits(table: Table) -> None:
    spark = table.spark.newSession()
    spark.conf.set("spark.databricks.delta.write.txnAppId", "us:1")
    spark.conf.set("spark.databricks.delta.write.txnVersion", "7")
    spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", '{"a": "ü"}')
    spark.sql(f"INSERT INTO {table.name} VALUES (1)")
    table.run("INSERT INTO {t} VALUES (2)", "OPTIMIZE {t}")
    commit = table.log.last_commit("us:1")
    assert commit
    assert (commit.version, commit.transactions, commit.user_metadata) == (
        1,
        {"us:1": 7},
        '{"a": "ü"}',
    )
    assert table.log.transaction("us:1") == 7
    assert table.log.transaction("them") is table.log.last_commit("them") is None
    assert table.log.last_commit("us:1", limit=2) is None


def test_a_log_that_is_not_local_is_read_through_delta(table: Table) -> None:
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)", "DELETE FROM {t}")
    remote = DeltaLog.of(table.spark, str(table.path))
    remote._folder = None
    assert remote.latest() == 3
    assert remote.position() == table.log.position()
    assert remote.commits(0, 3) == table.log.commits(0, 3)
    files = [add["path"] for commit in table.log.commits(0, 3) for add in commit.adds]
    assert remote.has(files)
    assert not remote.has([*files, "part-nowhere.parquet"])
    table.file(2).unlink()
    with pytest.raises(SourceBroken, match="version 2"):
        remote.commits(0, 3)
    with pytest.raises(SourceBroken) as error:
        table.log.snapshot(2)
    assert error.value.reason is Break.VERSIONS_MISSING


def test_names_lead_to_logs(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS log_tests")
    spark.sql("USE SCHEMA log_tests")
    try:
        spark.sql("CREATE TABLE d_t (a INT) USING delta")
        spark.sql("CREATE TABLE p (a INT) USING parquet")
        spark.sql("CREATE VIEW v AS SELECT 1 AS a")
        spark.sql("CREATE TEMP VIEW w AS SELECT 1 AS a")
        for text in ("d_t", "log_tests.d_t", "spark_catalog.log_tests.`D_T`"):
            log = DeltaLog.named(spark, TableName.parse(text))
            assert log
            assert log.latest() == 0
        for text in ("p", "v", "w", "spark_catalog.log_tests.p"):
            assert DeltaLog.named(spark, TableName.parse(text)) is None
        with pytest.raises(UnknownTable, match="nowhere"):
            DeltaLog.named(spark, TableName.parse("nowhere"))
    finally:
        spark.sql("USE SCHEMA default")
        spark.sql("DROP VIEW IF EXISTS w")
        spark.sql("DROP SCHEMA log_tests CASCADE")


def test_a_path_without_a_table_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UnknownTable, match="no Delta table"):
        DeltaLog.of(spark, str(tmp_path))
