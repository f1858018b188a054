"""The metrics: counted here, or read from the registry when Prometheus asks."""

from __future__ import annotations

import json
import socket
import urllib.request
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
    metrics = Metrics(MemoryCatalog(), lambda table, now: None)
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
    metrics = Metrics(catalog, lambda table, now: 600.0, lambda: NOON + timedelta(seconds=90))
    catalog.add(table)
    catalog.note(ended(Action.FULL, frontier=Frontier(1, {}, NOON)))
    found = lines(metrics)
    assert 'streamtables_lag_seconds{table="shop.daily"} 90.0' in found
    assert 'streamtables_target_lag_seconds{table="shop.daily"} 600.0' in found
    assert 'streamtables_consecutive_failures{table="shop.daily"} 0.0' in found
    assert 'streamtables_table_status{status="ACTIVE",table="shop.daily"} 1.0' in found
    for action in (Action.FAILED, Action.SKIPPED, Action.UPSTREAM_FAILED):
        catalog.note(ended(action))
    catalog.set_status("1", Status.SUSPENDED, "negative count")
    found = lines(metrics)
    assert 'streamtables_consecutive_failures{table="shop.daily"} 2.0' in found
    assert 'streamtables_table_status{status="SUSPENDED",table="shop.daily"} 1.0' in found
    assert 'streamtables_table_status{status="ACTIVE",table="shop.daily"} 0.0' in found


def test_headroom_is_that_of_the_last_checkup() -> None:
    metrics = Metrics(MemoryCatalog(), lambda table, now: None)
    metrics.examined(Checkup((), (Headroom("t", "old", 1, 1, 5.0),)))
    metrics.examined(Checkup((), (Headroom("t", "s", 3, 4, 7.0),)))
    found = {line for line in lines(metrics) if "headroom" in line}
    assert found == {'streamtables_source_retention_headroom_seconds{source="s",table="t"} 7.0'}


def test_a_registry_that_is_away_is_a_metric_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[StreamTable]:
        raise RegistryUnreachable("It is away")

    catalog = MemoryCatalog()
    metrics = Metrics(catalog, lambda table, now: None)
    assert "streamtables_registry_up 1.0" in lines(metrics)
    monkeypatch.setattr(catalog, "tables", away)
    assert "streamtables_registry_up 0.0" in lines(metrics)


def test_served_on_a_port_until_stopped() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    metrics = Metrics(MemoryCatalog(), lambda table, now: None)
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
