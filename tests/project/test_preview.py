"""What altering a table would do, told from names alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.lake_of_names import LakeOfNames

from streamtables.model import Column, RefreshMode, StreamTable, TableName
from streamtables.project.preview import preview
from streamtables.refresh.define import define, redefine

LAKE = LakeOfNames({"`shop`.`orders`": tuple(Column(name, "bigint") for name in ("id", "v"))})
QUERIES = {
    "daily": "SELECT id, sum(v) AS total FROM shop.orders GROUP BY id",
    "best": "SELECT id FROM shop.daily WHERE total > 10",
    "count": "SELECT count(*) AS n FROM shop.best",
    "ids": "SELECT id FROM shop.daily",
    "aside": "SELECT v FROM shop.orders",
}


@pytest.fixture(scope="module")
def tables() -> list[StreamTable]:
    made = []
    for name, query in QUERIES.items():
        table = define(LAKE, TableName(("shop", name)), query, "1m", "AUTO")  # type: ignore[arg-type]
        LAKE.columns[table.name.key] = table.columns
        made.append(table)
    return made


def shown(tables: list[StreamTable], query: str | None, schedule: str = "1m") -> dict[str, str]:
    new = redefine(LAKE, tables[0], query, schedule, RefreshMode.AUTO)  # type: ignore[arg-type]
    rows = preview(new, tables, {table.id for table in tables}, LAKE)  # type: ignore[arg-type]
    return {str(row["name"]).partition(".")[2]: f"{row['action']}: {row['why']}" for row in rows}


def test_what_reads_an_altered_table_takes_its_change_in(tables: list[StreamTable]) -> None:
    found = shown(tables, QUERIES["daily"].replace("GROUP", "WHERE v > 0 GROUP"))
    assert found == {
        "daily": "rebuild: the query changed; incremental from then on",
        "best": "incremental: reads shop.daily, whose change is taken in",
        "ids": "incremental: reads shop.daily, whose change is taken in",
        "count": "incremental: reads shop.best, whose change is taken in",
    }


def test_what_loses_a_column_would_fail(tables: list[StreamTable]) -> None:
    found = shown(tables, "SELECT id, max(v) AS most FROM shop.orders GROUP BY id")
    assert found["daily"].startswith("rebuild: the query changed; columns -total bigint, +most")
    assert found["best"].startswith("fails: The query of shop.best no longer fits its sources")
    assert found["count"].startswith("fails: ")
    assert found["ids"].startswith("incremental: ")


def test_another_schedule_moves_nothing_below(tables: list[StreamTable]) -> None:
    assert shown(tables, None, "5m") == {"daily": "settings: schedule 1m → 5m"}


def test_no_row_tells_of_a_table_beside_it(tables: list[StreamTable]) -> None:
    unfilled = [replace(table, id=f"{table.id}!") for table in tables]
    rows = preview(unfilled[0], unfilled, (), LAKE)  # type: ignore[arg-type]
    assert "shop.aside" not in {row["name"] for row in rows}
