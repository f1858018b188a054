"""The metrics: counted here, or read from the registry when Prometheus asks."""

from __future__ import annotations

import json
import re
import socket
import urllib.request
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client import generate_latest

from streamtables.catalog.memory import MemoryCatalog
from streamtables.codec import definition_from_json
from streamtables.config import MetricsSettings
from streamtables.errors import InvalidSettings, RegistryUnreachable
from streamtables.model import Action, Frontier, Refresh, Status
from streamtables.refresh.doctor import Checkup, Headroom
from streamtables.scheduler.metrics import Metrics

if TYPE_CHECKING:
    from streamtables.model import StreamTable
    from streamtables.scheduler.events import Event

NOON = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)


@pytest.fixture
def table() -> StreamTable:
    return definition_from_json(
        json.dumps(
            {
                "id": "1", "name": "shop.daily", "query": "SELECT 1 AS x", "schedule": "5m", "refresh_mode": "AUTO",
                "columns": [], "sources": [], "fingerprint": "f", "generation": 1,
                "created_at": "2026-01-02T03:04:05+00:00",
            }
        )
    )  # fmt: skip


def ended(action: Action, reason: str = "R", **rest: Any) -> Refresh:
    return Refresh("1", "shop.daily", 1, action, reason, NOON, 0.3, **rest)


def lines(metrics: Metrics) -> set[str]:
    text = generate_latest(metrics.registry).decode()
    return {line for line in text.splitlines() if not line.startswith("#")}


def test_refreshes_are_counted() -> None:
    metrics = Metrics(MemoryCatalog())
    metrics.refreshed(ended(Action.INCREMENTAL, "CHANGE_SMALL", rows_inserted=3, rows_deleted=2))
    metrics.refreshed(ended(Action.INCREMENTAL, "CHANGE_SMALL", rows_inserted=4))
    metrics.refreshed(ended(Action.FAILED, "CheckFailed", measures={"rows_failing.positive": 2}))
    metrics.refreshed(ended(Action.SKIPPED, "PAUSED"))
    metrics.refreshed(ended(Action.UPSTREAM_FAILED, "UPSTREAM_FAILED"))
    metrics.ticked(0.25)
    metrics.leads(True)
    assert lines(metrics) >= {
        'streamtables_refresh_total{action="INCREMENTAL",reason="CHANGE_SMALL",status="ok"} 2.0',
        'streamtables_refresh_total{action="SKIPPED",reason="PAUSED",status="skipped"} 1.0',
        'streamtables_refresh_total{action="UPSTREAM_FAILED",reason="UPSTREAM_FAILED",status="failed"} 1.0',
        'streamtables_rows_changed_total{op="insert"} 7.0',
        'streamtables_rows_changed_total{op="delete"} 2.0',
        'streamtables_refresh_duration_seconds_count{action="INCREMENTAL"} 2.0',
        'streamtables_refresh_duration_seconds_bucket{action="INCREMENTAL",le="0.25"} 0.0',
        'streamtables_rows_failing_total{check="positive",table="shop.daily"} 2.0',
        "streamtables_scheduler_tick_seconds 0.25",
        "streamtables_leader 1.0",
    }
    assert not any('duration_seconds_count{action="SKIPPED"' in line for line in lines(metrics))


def test_the_state_of_tables_is_read_when_asked_for(table: StreamTable) -> None:
    catalog = MemoryCatalog()
    metrics = Metrics(catalog, clock=lambda: NOON + timedelta(seconds=90))
    catalog.add(table)
    catalog.note(ended(Action.FULL, frontier=Frontier(1, {}, NOON)))
    found = lines(metrics)
    assert 'streamtables_lag_seconds{table="shop.daily"} 90.0' in found
    assert 'streamtables_target_lag_seconds{table="shop.daily"} 390.0' in found
    assert 'streamtables_consecutive_failures{table="shop.daily"} 0.0' in found
    assert 'streamtables_table_status{status="ACTIVE",table="shop.daily"} 1.0' in found
    for action in (Action.FAILED, Action.SKIPPED, Action.UPSTREAM_FAILED):
        catalog.note(ended(action))
    catalog.set_status("1", Status.SUSPENDED, "negative count")
    found = lines(metrics)
    assert 'streamtables_consecutive_failures{table="shop.daily"} 2.0' in found
    assert 'streamtables_table_status{status="SUSPENDED",table="shop.daily"} 1.0' in found
    assert 'streamtables_table_status{status="ACTIVE",table="shop.daily"} 0.0' in found


@pytest.mark.parametrize("status", [Status.PAUSED, Status.SUSPENDED])
def test_a_table_that_is_not_to_be_refreshed_is_not_late(
    table: StreamTable, status: Status
) -> None:
    """The alert StreamTableLate wants both the lag and the target of a table."""
    catalog = MemoryCatalog()
    catalog.add(table)
    catalog.note(ended(Action.FULL, frontier=Frontier(1, {}, NOON)))
    catalog.set_status("1", status)
    told = {line.partition("{")[0] for line in lines(Metrics(catalog))}
    assert "streamtables_lag_seconds" in told
    assert "streamtables_target_lag_seconds" not in told


def test_cron_lines_are_judged_in_the_zone(table: StreamTable) -> None:
    catalog = MemoryCatalog()
    catalog.add(replace(table, schedule="@daily"))
    found = lines(Metrics(catalog, "Etc/GMT+12", lambda: NOON))
    assert 'streamtables_target_lag_seconds{table="shop.daily"} 86400.0' in found


def test_headroom_is_that_of_the_last_checkup() -> None:
    metrics = Metrics(MemoryCatalog())
    metrics.examined(Checkup((), (Headroom("t", "old", 1, 1, 5.0),)))
    metrics.examined(Checkup((), (Headroom("t", "s", 3, 4, 7.0),)))
    found = {line for line in lines(metrics) if "headroom" in line}
    assert found == {'streamtables_source_retention_headroom_seconds{source="s",table="t"} 7.0'}


def test_a_registry_that_is_away_is_a_metric_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[StreamTable]:
        raise RegistryUnreachable("It is away")

    catalog = MemoryCatalog()
    metrics = Metrics(catalog)
    assert "streamtables_registry_up 1.0" in lines(metrics)
    monkeypatch.setattr(catalog, "tables", away)
    assert "streamtables_registry_up 0.0" in lines(metrics)


@pytest.fixture
def port() -> int:
    """A port that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_where_the_default_port_is_taken_any_that_is_free_will_do() -> None:
    told: list[Event] = []
    with socket.socket() as other:
        with suppress(OSError):  # who has it already does as well
            other.bind(("127.0.0.1", MetricsSettings().port))
            other.listen()
        stop = Metrics(MemoryCatalog()).serve(MetricsSettings(), tell=told.append)
    assert [(event.name, event.level) for event in told] == [
        ("port_taken", "WARNING"),
        ("serves", "INFO"),
    ]
    assert "127.0.0.1:9187 cannot be listened at" in told[0].fields["error"]
    with urllib.request.urlopen(f"{told[1].fields['address']}metrics", timeout=10) as answer:
        assert b"streamtables_leader 0.0" in answer.read()
    stop()


def test_the_address_is_told_with_a_token_that_was_made(port: int) -> None:
    def served(token: str) -> str:
        told: list[Event] = []
        settings = MetricsSettings("0.0.0.0", port, token)
        stop = Metrics(MemoryCatalog()).serve(settings, tell=told.append)
        (event,) = told
        address = event.fields["address"].replace("0.0.0.0", "127.0.0.1")
        with urllib.request.urlopen(f"{address}{token and '?token=mine'}", timeout=10) as answer:
            assert b"No stream tables yet" in answer.read()
        stop()
        return str(event.fields["address"])

    assert re.fullmatch(rf"http://0\.0\.0\.0:{port}/\?token=.{{20,}}", served(""))
    assert served("mine") == f"http://0.0.0.0:{port}/", "who has set one knows it"


def test_served_on_a_port_until_stopped(port: int) -> None:
    metrics = Metrics(MemoryCatalog())
    stop = metrics.serve(MetricsSettings(port=port))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        assert b"streamtables_leader 0.0" in answer.read()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
        assert b"No stream tables yet" in answer.read()
    with pytest.raises(InvalidSettings, match=rf"127\.0\.0\.1:{port}.*Give another"):
        metrics.serve(MetricsSettings(port=port))
    stop()
    metrics.serve(MetricsSettings(port=0))()
    metrics.serve(MetricsSettings(port=port))()
