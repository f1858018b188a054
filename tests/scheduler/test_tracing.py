"""Refreshes as spans."""

from __future__ import annotations

import sys
import threading
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from streamtables.model import Action, Refresh
from streamtables.scheduler.tracing import Steps, trace_refresh

if TYPE_CHECKING:
    import pytest

NOON = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
BEGAN = int(NOON.timestamp() * 1e9)
FAILED = Refresh(
    "1", "t", -1, Action.FAILED, "ValueError", NOON, 2.0, error="no", measures={"spark_jobs": 3}
)


def test_a_refresh_is_a_span_with_its_steps_below(monkeypatch: pytest.MonkeyPatch) -> None:
    provider, seen = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(seen))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    steps = [("lock", BEGAN), ("read", BEGAN + 10**9), ("unlock", BEGAN + 15 * 10**8)]
    trace_refresh(FAILED, steps)
    provider.shutdown()
    lock, read, whole = seen.get_finished_spans()
    assert (lock.name, lock.end_time, read.name, read.end_time) == (
        "lock", BEGAN + 10**9, "read", BEGAN + 15 * 10**8,
    )  # fmt: skip
    assert (whole.start_time, whole.end_time) == (BEGAN, BEGAN + 2 * 10**9)
    assert read.parent == lock.parent == whole.context
    assert (
        whole.attributes["streamtables.table"],
        whole.attributes["streamtables.spark_jobs"],
    ) == ("t", 3)
    assert (whole.status.status_code.name, whole.status.description) == ("ERROR", "no")


def test_without_the_package_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    trace_refresh(FAILED, [("lock", BEGAN)])


def test_steps_are_those_of_the_newest_refresh_of_a_thread() -> None:
    steps = Steps()
    for step in ("lock", "recover", "lock", "pin"):
        steps(step)
    other = threading.Thread(target=steps, args=("lock",))
    other.start()
    other.join()
    assert [step for step, _ in steps.taken()] == ["lock", "pin"]
    assert steps.taken() == []
