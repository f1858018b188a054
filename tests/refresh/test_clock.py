"""Queries that read the time: their rows come and go as it passes, though no source changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.model import Action

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

START = datetime(2026, 3, 1, 23, 0, tzinfo=timezone.utc)
QUERIES = {
    "recent": "SELECT id FROM $.e WHERE at > current_timestamp() - INTERVAL 1 HOUR AND at <= now()",
    "per_day": "SELECT current_date() AS day, count(*) AS n FROM $.e WHERE to_date(at) = current_date()",
    "kept": "SELECT o.id AS o, e.id AS e FROM $.o AS o RIGHT JOIN $.e AS e "
    "ON o.id = e.id AND o.at < now() WHERE e.at < now()",
    "either": "SELECT o.id AS o, e.id AS e, now() > coalesce(o.at, e.at) AS is_over "
    "FROM $.o AS o FULL JOIN $.e AS e ON o.id = e.id AND o.at < now()",
}


def test_time_passes(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    lake = Lake(spark, tmp_path_factory.mktemp("clock"), "clock")
    at = START
    lake.st.refresher = replace(lake.st.refresher, now=lambda: at)
    for table, minutes in (("e", (-50, -10, 30, 90)), ("o", (-60, 20, 30, 200))):
        rows = (f"({i}, TIMESTAMP'{START + timedelta(minutes=m)}')" for i, m in enumerate(minutes))
        lake.sql(
            f"CREATE TABLE {lake}.{table} (id INT, at TIMESTAMP) USING delta",
            f"INSERT INTO {lake}.{table} VALUES {', '.join(rows)}",
        )
    for name, query in QUERIES.items():
        lake.st.create_stream_table(
            f"{lake}.{name}", query.replace("$", str(lake)), refresh_mode="INCREMENTAL"
        )

    def rows(name: str) -> list[tuple[object, ...]]:
        found = map(tuple, spark.table(f"{lake}.{name}").collect())
        return sorted(found, key=lambda row: [(value is not None, value) for value in row])

    assert rows("recent") == [(0,), (1,)]
    assert rows("kept") == [(None, 1), (0, 0)]
    assert rows("either") == [
        *((None, 1, True), (None, 2, False), (None, 3, False), (0, 0, True)),
        *((1, None, False), (2, None, False), (3, None, False)),
    ]
    for minutes, recent, kept in ((70, [(2,)], 3), (100, [(3,)], 3)):
        at = START + timedelta(minutes=minutes)
        if minutes == 100:
            lake.sql(
                f"UPDATE {lake}.o SET id = 3 WHERE id = 0", f"DELETE FROM {lake}.e WHERE id = 1"
            )
        done = lake.st.refresh_all()
        assert {one.action for one in done} <= {Action.INCREMENTAL, Action.NO_DATA}
        assert rows("recent") == recent
        assert len(rows("kept")) == kept
        for name in QUERIES:
            assert lake.st.verify(f"{lake}.{name}"), (minutes, name)
    assert [str(day) for day, _ in rows("per_day")] == ["2026-03-02"]
    assert {one.action for one in lake.st.refresh_all()} == {Action.NO_DATA}
