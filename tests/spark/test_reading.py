"""A version read from its files by name is the version that Delta itself reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.spark import reading
from streamtables.spark.log import DeltaLog
from streamtables.testing.bags import assert_same, bag

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("read"), "read")
    lake.sql(
        f"CREATE TABLE {lake}.t (id INT, `a path` STRING, part INT) USING delta PARTITIONED BY (part) TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name')",
        f"INSERT INTO {lake}.t SELECT id, concat('p ', id), id % 3 FROM range(30)",
        f"DELETE FROM {lake}.t WHERE id IN (3, 4, 5)",
        f"UPDATE {lake}.t SET part = NULL WHERE id = 7",
        f"ALTER TABLE {lake}.t RENAME COLUMN `a path` TO path",
        f"INSERT INTO {lake}.t VALUES (99, NULL, 1)",
        f"OPTIMIZE {lake}.t",
    )
    return lake


@pytest.mark.parametrize("most", [200, 0], ids=["by name", "by Delta"])
def test_every_version(lake: Lake, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(reading, "NAMED_FILES", most)
    session = lake.spark.newSession()
    log = DeltaLog.of(session, str(lake.path("t")))
    for version in (lake.version("t"), *range(1, lake.version("t") + 1)):
        found = reading.read_version(session, log, version)
        expected = lake.rows(f"SELECT * FROM {lake}.t VERSION AS OF {version}")
        assert_same(bag(found.collect()), expected, f"version {version}")
        found.createOrReplaceTempView("it")
        assert session.table("it").where("part = 1").count() == sum(
            count for row, count in expected.items() if row[2] == 1
        )


def test_later_commits_do_not_move_it(lake: Lake) -> None:
    lake.sql(f"CREATE TABLE {lake}.moving USING delta AS SELECT id FROM range(3)")
    log = DeltaLog.of(lake.spark, str(lake.path("moving")))
    found = reading.read_version(lake.spark, log, 0)
    lake.sql(f"DELETE FROM {lake}.moving WHERE id = 1")
    assert found.count() == 3
    assert reading.read_version(lake.spark, log, 1).count() == 2
