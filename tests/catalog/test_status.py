"""Freshness at a glance."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from helpers.vectors import stream_table

from streamtables.catalog.memory import MemoryCatalog
from streamtables.catalog.status import status_rows, targets_s
from streamtables.model import Frontier, Status

if TYPE_CHECKING:
    from streamtables.model import StreamTable

NOON = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("schedule", "age_s", "is_late"),
    [("5m", 0, False), ("5m", 299, False), ("5m", 301, True), ("1h", 3600, False), ("@daily", 86400, False),
     ("@daily", 200_000, True), (None, 10**6, None), ("DOWNSTREAM", 10**6, None)],
)  # fmt: skip
def test_lag_and_lateness(make_table: Any, schedule: str, age_s: int, is_late: bool | None) -> None:
    catalog, table = MemoryCatalog(), make_table(schedule=schedule)
    catalog.add(table)
    catalog.set_frontier(table.id, Frontier(1, {}, NOON - timedelta(seconds=age_s)))
    (row,) = status_rows(catalog, NOON)
    assert (row["lag_s"], row["is_late"]) == (age_s, is_late)


def test_cron_lines_are_judged_in_a_zone(make_table: Any) -> None:
    catalog, table = MemoryCatalog(), make_table(schedule="@daily")
    catalog.add(table)
    catalog.set_frontier(table.id, Frontier(1, {}, NOON - timedelta(hours=30)))
    late = {zone: status_rows(catalog, NOON, zone)[0]["is_late"] for zone in ("UTC", "Etc/GMT+12")}
    assert late == {"UTC": False, "Etc/GMT+12": True}


@pytest.fixture
def graph() -> list[StreamTable]:
    """a ← b ← c (10m) ← d (1h), b ← e (1m); a and b are DOWNSTREAM."""
    return [
        stream_table("a", "base", schedule="DOWNSTREAM"),
        stream_table("b", "a", schedule="downstream"),
        stream_table("c", "b", schedule="10m"),
        stream_table("d", "c", schedule="1h"),
        stream_table("e", "b", schedule="1m"),
        stream_table("f", "b", schedule="ON CHANGE"),
        stream_table("g", "b", schedule=None),
        stream_table("h", "f", schedule="DOWNSTREAM"),
    ]


def targets(tables: list[StreamTable]) -> dict[str, float]:
    return {key[-2]: seconds for key, seconds in targets_s(tables, NOON, "UTC").items()}


def test_downstream_tables_have_the_least_target_of_those_that_read_them(
    graph: list[StreamTable],
) -> None:
    assert targets(graph) == {"a": 60, "b": 60, "c": 600, "d": 3600, "e": 60}


def test_who_is_not_refreshed_has_no_target_and_sets_none(graph: list[StreamTable]) -> None:
    stopped = {"e": Status.PAUSED, "b": Status.SUSPENDED}
    tables = [replace(one, status=stopped.get(str(one.name), one.status)) for one in graph]
    assert targets(tables) == {"a": 600, "c": 600, "d": 3600}, "c takes a along"


def test_a_new_table_is_not_late(make_table: Any) -> None:
    catalog = MemoryCatalog()
    catalog.add(make_table(created_at=NOON - timedelta(minutes=1)))
    (row,) = status_rows(catalog, NOON)
    assert (row["lag_s"], row["is_late"]) == (None, False)
