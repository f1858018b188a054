"""A registry with a graph of stream tables in every state, for looking at the page.

python tests/helpers/page_registry.py page.html
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from streamtables.catalog.memory import MemoryCatalog
from streamtables.model import (
    Action,
    Column,
    Frontier,
    Refresh,
    RefreshMode,
    Source,
    SourceKind,
    Status,
    StreamTable,
    TableName,
)
from streamtables.page.page import page

if TYPE_CHECKING:
    from streamtables.catalog.base import Catalog

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=timezone.utc)
NASTY = "shop.`<img src=x onerror=alert(1)>`"
COLUMNS = {
    "shop.orders": "id bigint, customer bigint, country string, amount decimal(10,2), at timestamp",
    "shop.customers": "id bigint, name string, segment string",
    "shop.items": "order_id bigint, product string, price decimal(10,2), pieces int",
    "crm.visits": "customer bigint, at timestamp",
}
# Name: query, columns, schedule, status, the last action, seconds since then.
TABLES: dict[str, tuple[str, str, str | None, Status, Action, int]] = {
    "shop.revenue": (
        "SELECT country, count(*) AS orders, sum(amount) AS revenue\nFROM shop.orders\nGROUP BY country",
        "country string, orders bigint, revenue decimal(20,2)",
        "5m",
        Status.ACTIVE,
        Action.INCREMENTAL,
        75,
    ),
    "shop.baskets": (
        "SELECT o.id, o.customer, sum(i.price * i.pieces) AS total\n"
        "FROM shop.orders o JOIN shop.items i ON i.order_id = o.id\nGROUP BY o.id, o.customer",
        "id bigint, customer bigint, total decimal(30,2)",
        "1m",
        Status.ACTIVE,
        Action.NO_DATA,
        20,
    ),
    "shop.segments": (
        "SELECT c.segment, b.total, c.name\nFROM shop.baskets b LEFT JOIN shop.customers c ON c.id = b.customer",
        "segment string, total decimal(30,2), name string",
        "1m",
        Status.ACTIVE,
        Action.INCREMENTAL,
        900,
    ),
    "shop.best": (
        "SELECT country, revenue FROM shop.revenue WHERE revenue > 1000",
        "country string, revenue decimal(20,2)",
        "DOWNSTREAM",
        Status.PAUSED,
        Action.FULL,
        4000,
    ),
    "crm.idle": (
        "SELECT c.id, c.name FROM shop.customers c\n"
        "WHERE NOT EXISTS (SELECT 1 FROM crm.visits v WHERE v.customer = c.id)",
        "id bigint, name string",
        "@hourly",
        Status.SUSPENDED,
        Action.FAILED,
        7300,
    ),
    NASTY: (
        "SELECT '</pre><script>alert(1)</script>' AS `<b>x</b>` FROM crm.idle",
        "<b>x</b> string",
        None,
        Status.ACTIVE,
        Action.UPSTREAM_FAILED,
        7200,
    ),
}
ERROR = "SourceChanged: crm.visits has no column customer any more <script>alert(2)</script>. Alter the query."


def filled() -> Catalog:
    """The registry."""
    catalog = MemoryCatalog()
    columns = {**COLUMNS, **{name: told[1] for name, told in TABLES.items()}}
    for number, (name, told) in enumerate(TABLES.items()):
        query, shown, schedule, status, action, ago = told
        table = StreamTable(
            id=str(number),
            name=TableName.parse(name),
            query=query,
            schedule=schedule,
            refresh_mode=RefreshMode.AUTO,
            columns=_columns(shown),
            sources=tuple(
                Source(TableName.parse(source), SourceKind.DELTA, _columns(columns[source]))
                for source in sorted(columns, key=query.find)
                if source in query and source != name
            ),
            fingerprint="f",
            generation=1,
            created_at=NOW - timedelta(days=2),
            status=status,
            message=ERROR if status is Status.SUSPENDED else None,
        )
        catalog.add(table)
        for refresh in _history(table, action, ago):
            catalog.note(refresh)
    return catalog


def _columns(text: str) -> tuple[Column, ...]:
    parts = text.replace("0,2", "0;2").split(",")
    pairs = (part.strip().replace(";", ",").split(" ", 1) for part in parts)
    return tuple(Column(name, kind) for name, kind in pairs)


def _history(table: StreamTable, action: Action, ago: int) -> list[Refresh]:
    found = []
    for number in range(1, 31):
        is_last = number == 30
        done = action if is_last else Action.NO_DATA if number % 4 else Action.INCREMENTAL
        done = Action.FULL if number == 1 else done
        reason = {"FULL": "FIRST_FILL", "NO_DATA": "NO_CHANGE"}.get(done.value, "CHANGE_SMALL")
        began = NOW - timedelta(seconds=ago + (30 - number) * 60)
        failed = done in (Action.FAILED, Action.UPSTREAM_FAILED)
        found.append(
            Refresh(
                table.id,
                str(table.name),
                number,
                done,
                "SourceChanged" if failed else reason,
                began,
                0.004 if done is Action.NO_DATA else 0.4 + number * 37 % 11,
                0 if done is Action.NO_DATA or failed else number * 7919 % 4000,
                0 if done is not Action.INCREMENTAL else number,
                frontier=None if failed else Frontier(number, {}, began),
                error=ERROR if failed else None,
            )
        )
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(filled(), "/data/warehouse", NOW, is_live=False), "utf-8")
