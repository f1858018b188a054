"""Commits made of hidden rows: what Delta judges of them, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from delta.exceptions import ConcurrentAppendException, ConcurrentTransactionException
from helpers.versions import bag, jobs

from streamtables.spark.log import DeltaLog
from streamtables.spark.stamp import Stamp
from streamtables.spark.vectors import commit_rows, hidden_rows

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


@pytest.mark.parametrize("is_near", [True, False])
def test_long_vectors_lie_in_files_of_their_own(log: DeltaLog, *, is_near: bool) -> None:
    """Delta cannot read more than 64 KB of text that the log holds for one."""
    spark, name = log.spark, f"delta.`{log.path}`"
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT) FROM range(10, 600010, 1, 1)")
    path = next(path for path, file in log.files().items() if "600009" in file["stats"])
    if not is_near:
        log._folder = None
    gone = list(range(0, 600_000, 2))
    version = commit_rows(spark, log, log.latest(), {path: gone}, None, Stamp("us", 1, "{}"))
    again = commit_rows(spark, log, log.latest(), {path: [1, 3]}, None, Stamp("us", 2, "{}"))
    assert (version, again) == (2, 3)
    assert log.files()[path]["deletionVector"]["storageType"] == "u"
    kept = spark.sql(f"SELECT count(*), min(a) FROM {name} WHERE a >= 10").first()
    assert tuple(kept or ()) == (299_998, 15)
    spark.sql(f"DELETE FROM {name} WHERE a = 15")
    assert spark.sql(f"SELECT min(a) FROM {name} WHERE a >= 10").first()[0] == 17


def test_vectors_of_every_writer_and_in_every_place_are_read(log: DeltaLog) -> None:
    """Delta's own DELETE puts them into files, with runs in them; ours go on from there, in the log."""
    spark, name = log.spark, f"delta.`{log.path}`"
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT) FROM range(10, 200000, 1, 1)")
    gone = "a BETWEEN 100 AND 90000 OR a % 3 = 0"
    spark.sql(f"DELETE FROM {name} WHERE a >= 10 AND ({gone})")
    path, file = next((p, f) for p, f in log.files().items() if f["stats"].find("199990") > 0)
    assert file["deletionVector"]["storageType"] == "u"
    expected = {a - 10 for a in range(10, 200_000) if 100 <= a <= 90_000 or a % 3 == 0}
    elsewhere = DeltaLog(spark, log.path)
    elsewhere._folder = None
    assert hidden_rows(log, file["deletionVector"]).tolist() == sorted(expected)
    assert hidden_rows(elsewhere, file["deletionVector"]).tolist() == sorted(expected)
    more = sorted(set(range(150_000, 150_050)) - expected)
    commit_rows(spark, log, log.latest(), {path: more}, None, Stamp("us", 1, "{}"))
    vector = log.files()[path]["deletionVector"]
    assert vector["storageType"] == "u"
    expected |= set(more)
    assert hidden_rows(log, vector).tolist() == sorted(expected)
    kept = spark.sql(f"SELECT count(*), sum(a) FROM {name} WHERE a >= 10").first()
    left = [a for a in range(10, 200_000) if a - 10 not in expected]
    assert tuple(kept or ()) == (len(left), sum(left))
