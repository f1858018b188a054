"""Small files written together: nothing else changes, and refreshes go on from where they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.spark import work

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_files_become_few_and_refreshes_go_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "KEPT_ROWS", 0)
    lake = Lake(spark, tmp_path, "compacted")
    lake.sql(f"CREATE TABLE {lake}.s USING delta AS SELECT id % 3 AS k, id AS v FROM range(9)")
    query = f"SELECT k, sum(v) AS total FROM {lake}.s GROUP BY k"
    lake.st.create_stream_table(f"{lake}.t", query, refresh_mode="INCREMENTAL")
    for value in range(3):
        lake.sql(f"INSERT INTO {lake}.s VALUES ({value}, 100)")
        lake.st.refresh(f"{lake}.t")

    (few,) = lake.st.compact()
    assert few.files_before == few.files_after, "so few files are not worth it"
    (done,) = lake.st.sql(f"COMPACT STREAM TABLE {lake}.t")
    assert done.files_after == 1 < done.files_before
    lake.check("t")
    assert lake.st.refresh(f"{lake}.t").reason == "NO_CHANGE"

    lake.sql(f"DELETE FROM {lake}.s WHERE k = 1")
    refresh = lake.opened().refresh(f"{lake}.t")
    assert (refresh.action, refresh.rows_inserted, refresh.rows_deleted) == ("INCREMENTAL", 0, 1)
    lake.check("t")
