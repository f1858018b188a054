"""Commits made of hidden rows: what Delta judges of them, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from delta.exceptions import ConcurrentAppendException, ConcurrentTransactionException
from helpers.versions import bag, jobs

from streamtables.spark.log import DeltaLog
from streamtables.spark.stamp import Stamp
from streamtables.spark.vectors import commit_rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def log(spark: SparkSession, tmp_path: Path) -> DeltaLog:
    name = f"delta.`{tmp_path / 't'}`"
    spark.sql(
        f"CREATE TABLE {name} USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') "
        "AS SELECT CAST(id AS INT) AS a FROM range(0, 4, 1, 1)"
    )
    made = DeltaLog.of(spark, str(tmp_path / "t"))
    assert len(made.files()) == 1
    return made


def hide(log: DeltaLog, version: int, rows: list[int], number: int) -> int | None:
    (file,) = log.files(0)
    return commit_rows(log.spark, log, version, {file: rows}, None, Stamp("us", number, "{}"))


def rows(log: DeltaLog) -> list[int]:
    return sorted(row[0] for row in bag(log.spark.sql(f"SELECT * FROM delta.`{log.path}`")))


def test_a_commit_takes_no_spark_job(log: DeltaLog) -> None:
    # Delta is asked, with a job, whether an application that was never seen has been here.
    assert hide(log, 0, [0], 1) == 1
    assert jobs(log.spark, lambda: hide(log, 1, [1], 2)) == 0
    assert rows(log) == [2, 3]


def test_the_same_again_is_nothing(log: DeltaLog) -> None:
    assert hide(log, 0, [0], 1) == 1
    assert hide(log, 1, [1], 1) is None
    assert rows(log) == [1, 2, 3]


def test_the_same_from_an_older_version_is_a_conflict(log: DeltaLog) -> None:
    assert commit_rows(log.spark, log, 0, {}, None, Stamp("us", 1, "{}")) == 1
    with pytest.raises(ConcurrentTransactionException):
        commit_rows(log.spark, log, 0, {}, None, Stamp("us", 1, "{}"))
    assert commit_rows(log.spark, log, 0, {}, None, Stamp("them", 1, "{}")) == 2


def test_places_in_files_that_are_gone_meanwhile_are_a_conflict(log: DeltaLog) -> None:
    log.spark.sql(f"INSERT INTO delta.`{log.path}` VALUES (4)")
    first, _ = log.files()
    log.spark.sql(f"OPTIMIZE delta.`{log.path}`")
    with pytest.raises(ConcurrentAppendException):
        commit_rows(log.spark, log, 1, {first: [0]}, None, Stamp("us", 1, "{}"))
    assert rows(log) == [0, 1, 2, 3, 4]
