"""Freshness at a glance."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from streamtables.catalog.memory import MemoryCatalog
from streamtables.catalog.status import status_rows
from streamtables.model import Frontier

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


def test_a_new_table_is_not_late(make_table: Any) -> None:
    catalog = MemoryCatalog()
    catalog.add(make_table(created_at=NOON - timedelta(minutes=1)))
    (row,) = status_rows(catalog, NOON)
    assert (row["lag_s"], row["is_late"]) == (None, False)
