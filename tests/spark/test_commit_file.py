"""Commits written without the JVM, judged by Delta and by delta-rs; and what is left to Delta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder
from helpers.versions import jobs

from streamtables.spark import checksum, commit_file, vectors
from streamtables.spark.internals import java_class, java_log
from streamtables.spark.log import DeltaLog
from streamtables.spark.stamp import Stamp

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def made(spark: SparkSession, folder: Path, *, rows: int = 4, **properties: str) -> DeltaLog:
    """A table of one file with numbers from 0."""
    listed = {"delta.enableDeletionVectors": "true"} | properties
    texts = ", ".join(f"'{name}' = '{value}'" for name, value in listed.items())
    spark.sql(
        f"CREATE TABLE delta.`{folder}` USING delta TBLPROPERTIES ({texts}) AS "
        f"SELECT CAST(id AS INT) AS a, id / 8 AS b FROM range(0, {rows}, 1, 1)"
    )
    return DeltaLog.of(spark, str(folder))


def hide(log: DeltaLog, rows: list[int], number: int) -> int | None:
    """Hide rows of the first file."""
    file = next(iter(log.files(0)))
    stamp = Stamp("us", number, "said")
    return vectors.commit_rows(log.spark, log, log.latest(), {file: rows}, None, stamp)


def info(log: DeltaLog) -> Any:
    """What the newest commit says of itself."""
    return log.commits(log.latest() - 1, log.latest())[0].info


def is_ours(log: DeltaLog) -> bool:
    return bool(info(log)["engineInfo"] == "streamtables")


def numbers(log: DeltaLog) -> list[int]:
    """The rows as Spark and as delta-rs read them, which are the same."""
    seen = sorted(row.a for row in log.spark.sql(f"SELECT a FROM delta.`{log.path}`").collect())
    assert log.folder is not None
    other = QueryBuilder().register("t", DeltaTable(str(log.folder)))
    rows = pa.table(other.execute("SELECT a FROM t").read_all())
    assert sorted(rows.column("a").to_pylist()) == seen
    return seen


def is_as_delta_counts(log: DeltaLog) -> bool:
    """Whether the checksum of the newest version is what Delta makes of the log without it."""
    spark = log.spark
    java_class(spark, "org.apache.spark.sql.delta.DeltaLog").clearCache()
    empty = getattr(java_class(spark, "scala.collection.immutable.Map$"), "MODULE$").empty()
    return bool(java_log(spark, log.path).update(False, *[none(spark)] * 2).validateChecksum(empty))


def none(spark: SparkSession) -> Any:
    return java_class(spark, "scala.Option").empty()


def test_delta_reads_what_is_written(spark: SparkSession, tmp_path: Path) -> None:
    log = made(spark, tmp_path / "t", rows=3000)
    gone: set[int] = set()
    for number, rows in enumerate(([0], [1, 2, 3], list(range(10, 120)), list(range(120, 2500)))):
        assert hide(log, rows, number + 1) == number + 1
        gone |= set(rows)
        assert is_ours(log)
        assert info(log)["userMetadata"] == "said"
        assert is_as_delta_counts(log)
        assert numbers(log) == sorted(set(range(3000)) - gone)
    assert log.java_snapshot().transactions().get("us").get() == 4
    history = spark.sql(f"DESCRIBE HISTORY delta.`{log.path}`").collect()
    assert [(row.version, row.operation) for row in history[:4]] == [
        (n, "WRITE") for n in (4, 3, 2, 1)
    ]


def test_delta_writes_on(spark: SparkSession, tmp_path: Path) -> None:
    """Commits of both kinds follow each other, and a file of which all rows are hidden goes."""
    log = made(spark, tmp_path / "t")
    hide(log, [0], 1)
    spark.sql(f"INSERT INTO delta.`{log.path}` VALUES (7, 1)")
    spark.sql(f"DELETE FROM delta.`{log.path}` WHERE a = 1")
    hide(log, [2, 3], 2)
    assert is_ours(log)
    assert len(log.files()) == 1
    assert numbers(log) == [7]
    assert is_as_delta_counts(log)


def test_it_takes_no_spark_job(spark: SparkSession, tmp_path: Path) -> None:
    log = made(spark, tmp_path / "t")
    hide(log, [0], 1)

    def read() -> object:
        hide(log, [1], 2)
        return log.snapshot()

    assert jobs(spark, read) == 0


def test_a_version_that_is_taken_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    log = made(spark, tmp_path / "t")
    assert hide(log, [0], 1) == 1
    assert log.folder is not None
    written = (log.folder / "_delta_log" / f"{1:020}.json").read_bytes()
    assert commit_file.written(log, 0, [], Stamp("them", 1, "")) is None
    assert (log.folder / "_delta_log" / f"{1:020}.json").read_bytes() == written
    assert not list((log.folder / "_delta_log").glob("*.tmp"))
    assert not list((log.folder / "_delta_log").glob(".*.tmp"))


def test_checkpoints_are_made_in_time(spark: SparkSession, tmp_path: Path) -> None:
    log = made(spark, tmp_path / "t", **{"delta.checkpointInterval": "3"})
    assert [(hide(log, [row], row + 1), is_ours(log)) for row in range(3)] == [
        (1, True),
        (2, True),
        (3, False),
    ]
    assert log.folder is not None
    assert list((log.folder / "_delta_log").glob(f"{3:020}.checkpoint*"))


@pytest.mark.parametrize(
    "properties",
    [
        {"delta.enableRowTracking": "true"},
        {"delta.enableInCommitTimestamps": "true"},
        {"delta.constraints.small": "a < 100"},
        {"delta.columnMapping.mode": "name"},
    ],
    ids=lambda properties: next(iter(properties)).split(".")[1],
)
def test_tables_with_more_features_are_deltas(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str]
) -> None:
    log = made(spark, tmp_path / "t", **properties)
    assert hide(log, [0], 1) == 1
    assert not is_ours(log)
    assert is_as_delta_counts(log)


def test_without_a_checksum_delta_makes_one(spark: SparkSession, tmp_path: Path) -> None:
    log = made(spark, tmp_path / "t")
    assert log.folder is not None
    checksum.path(log.folder / "_delta_log", 0).unlink()
    assert [(hide(log, [row], row + 1), is_ours(log)) for row in range(2)] == [
        (1, False),
        (2, True),
    ]


def test_a_sum_of_a_file_that_was_removed_is_gone(spark: SparkSession, tmp_path: Path) -> None:
    """Hadoop would hold it against our file."""
    log = made(spark, tmp_path / "t")
    assert log.folder is not None
    (log.folder / "_delta_log" / f".{1:020}.json.crc").write_bytes(b"crc\0\0\0\2\0\1\2\3\4")
    assert hide(log, [0], 1) == 1
    assert is_ours(log)
    assert numbers(log) == [1, 2, 3]


def test_numbers_of_statistics_stay_as_they_are_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A DECIMAL with more digits than a float has still bounds its column after a row is hidden."""
    name, most = f"delta.`{tmp_path / 't'}`", "12345678901234567890.12"
    spark.sql(
        f"CREATE TABLE {name} USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS "
        f"SELECT CAST(id AS INT) AS a, CAST({most} AS DECIMAL(38, 2)) - id AS d, "
        "'\"tightBounds\":true' AS s FROM range(0, 2, 1, 1)"
    )
    log = DeltaLog.of(spark, str(tmp_path / "t"))
    (file,) = log.files().values()
    assert hide(log, [1], 1) == 1
    (after,) = log.files().values()
    assert most in after["stats"]
    assert after["stats"] == file["stats"].replace('"tightBounds":true', '"tightBounds":false', 1)
