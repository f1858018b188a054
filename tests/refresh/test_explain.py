"""Explanations: from the definition and its history alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from streamtables.model import (
    Action,
    Column,
    Refresh,
    RefreshMode,
    Source,
    SourceKind,
    StreamTable,
    TableName,
)
from streamtables.refresh.explain import explain
from streamtables.rules import RULES
from streamtables.rules.heads import head_of

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
ORDERS = Source(
    TableName(("shop", "orders")),
    SourceKind.DELTA,
    tuple(Column(name, "bigint") for name in ("id", "customer", "amount")),
)
TABLE = StreamTable(
    id="1",
    name=TableName(("shop", "daily")),
    query="SELECT customer, sum(amount) AS total FROM shop.orders GROUP BY customer",
    schedule=None,
    refresh_mode=RefreshMode.AUTO,
    columns=(Column("customer", "bigint"), Column("total", "bigint")),
    sources=(ORDERS,),
    fingerprint="f",
    generation=1,
    created_at=MOMENT,
)


def done(action: Action, reason: str, seconds: float, hours: int = 0, **rest: object) -> Refresh:
    moment = MOMENT + timedelta(hours=hours)
    return Refresh("1", "shop.daily", 1, action, reason, moment, seconds, version=1, **rest)  # type: ignore[arg-type]


HISTORY = (
    done(
        Action.INCREMENTAL,
        "CHANGE_SMALL",
        0.5,
        3,
        rows_inserted=2,
        rows_deleted=1,
        measures={"source_rows_changed": 7, "estimate_full": 4.0},
    ),
    done(Action.INCREMENTAL, "CHANGE_SMALL", 0.3, 2),
    done(Action.FULL, "CHANGE_LARGE", 3.0, 1, detail="90 of 100 rows changed"),
)


def test_each_operator_has_its_rule_key_and_sources() -> None:
    operators = {one.operator.split()[0]: one for one in explain(TABLE).operators}
    assert (operators["Aggregate"].kind, operators["Aggregate"].key) == ("regroup", ("customer",))
    assert operators["Scan"].sources == ("shop.orders",)
    assert (
        explain(TABLE).state
        == "(customer, COUNT(*), COUNT(`amount`), SUM(`amount`)), once the sources are large"
    )


def test_what_is_kept_is_walked_where_a_refresh_starts_from_it() -> None:
    query = "SELECT customer, amount AS total FROM shop.orders EXCEPT ALL SELECT id, id FROM shop.orders"
    types = {"customer": "bigint", "total": "bigint", "_copies_0": "bigint", "_copies_1": "bigint"}
    for table, sums in (
        (TABLE, {"_rows": "bigint", "_n0": "bigint", "_s0": "bigint"}),
        (replace(TABLE, query=query), types),
    ):
        before, found = explain(table), explain(table, kept=sums)
        assert "once the sources are large" in str(before.state)
        assert "the next refresh starts from it" in str(found.state)
        assert any("Scan" in step.tree for step in before.steps)
        assert not any("Scan" in step.tree for step in found.steps), "no source is read again"
        assert [step.name for step in found.steps][-2:] == ["state", "change"]


def test_history_tells_costs_rows_and_the_last_refresh() -> None:
    found = explain(TABLE, HISTORY)
    incremental, full = found.costs
    assert (incremental.median, incremental.count, incremental.estimate) == (0.4, 2, None)
    assert (full.median, full.count, full.estimate) == (3.0, 1, 4.0)
    assert "7 rows of the sources changed, +2 -1 rows in 0.50 s" in str(found)
    assert "full 3.00 s (median of 1), estimated 4.00 s" in str(found)
    assert "(CHANGE_SMALL) at 2026-01-02 05:04:05+00:00: +0 -0 rows" in str(
        explain(TABLE, HISTORY[1:])
    )


@pytest.mark.parametrize(
    ("table", "history", "sentence"),
    [
        (TABLE, (), "No refresh on record recomputed shop.daily."),
        (
            TABLE,
            HISTORY,
            "shop.daily was last recomputed at 2026-01-02 04:04:05+00:00, because so many rows changed "
            "that recomputing is cheaper (90 of 100 rows changed).",
        ),
        (
            replace(TABLE, refresh_mode=RefreshMode.FULL),
            HISTORY,
            "Every refresh recomputes shop.daily, because the table's refresh_mode is FULL.",
        ),
        (
            replace(
                TABLE, query="SELECT customer, amount AS total FROM shop.orders LIMIT length('xy')"
            ),
            HISTORY,
            "Every refresh recomputes shop.daily, because LIMIT: The query cannot be incremental: a LIMIT",
        ),
    ],
)
def test_why_full(table: StreamTable, history: tuple[Refresh, ...], sentence: str) -> None:
    found = explain(table, history).why_full
    assert found.startswith(sentence)
    assert found.count("\n") == 0


def test_the_picture_leads_from_sources_to_the_table() -> None:
    query = (
        "SELECT a.customer, b.amount AS total FROM shop.orders a JOIN shop.orders b ON a.id < b.id"
    )
    lines = explain(replace(TABLE, query=query)).mermaid().splitlines()
    assert lines[0] == "flowchart BT"
    (join,) = (line.split("[")[0].strip() for line in lines if "bilinear" in line)
    assert sum(line.endswith(f"--> {join}") for line in lines) == 2
    assert any("#lt;" in line for line in lines)
    scans = [line.split("[")[0].strip() for line in lines if "Scan" in line]
    assert len(scans) == 2
    assert not any(line.endswith(f"--> {scan}") for scan in scans for line in lines)


def test_every_rule_has_a_head() -> None:
    heads = [head_of(operator) for operator in RULES]
    assert all(head and head.what and head.kind and head.cost for head in heads)
