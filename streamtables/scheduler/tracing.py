"""Refreshes as OpenTelemetry spans, one below it per step, where OpenTelemetry is installed.

The spans go to the tracer that the process has set up (`opentelemetry-instrument streamtables run` does); without one
they go nowhere.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamtables.model import Refresh

_FIRST, _LAST = "lock", "unlock"


class Steps:
    """When each step of the newest refresh of each thread began; to be told of steps as they begin."""

    def __init__(self) -> None:
        self._seen = threading.local()

    def __call__(self, step: str) -> None:
        """A step begins."""
        if step == _FIRST or not hasattr(self._seen, "steps"):
            self._seen.steps = []
        self._seen.steps.append((step, time.time_ns()))

    def taken(self) -> list[tuple[str, int]]:
        """The steps of this thread's newest refresh, with the nanoseconds at which they began."""
        found: list[tuple[str, int]] = getattr(self._seen, "steps", [])
        self._seen.steps = []
        return found


def trace_refresh(refresh: Refresh, steps: list[tuple[str, int]]) -> None:
    """Make the span of a refresh that has ended, and of its steps."""
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        return
    tracer = trace.get_tracer("streamtables")
    began = int(refresh.started_at.timestamp() * 1e9)
    ended = max([began + int(refresh.seconds * 1e9), *(at for _, at in steps)])
    span = tracer.start_span("refresh", start_time=began, attributes=_attributes(refresh))
    if refresh.action.is_failure:
        span.set_status(trace.StatusCode.ERROR, refresh.error or refresh.reason)
    inside = trace.set_span_in_context(span)
    ends = [at for _, at in steps[1:]] + [ended]
    for (step, at), end in zip(steps, ends, strict=True):
        if step != _LAST:
            tracer.start_span(step, inside, start_time=at).end(end)
    span.end(ended)


def _attributes(refresh: Refresh) -> dict[str, Any]:
    facts = {
        "table": refresh.name,
        "action": refresh.action.value,
        "reason": refresh.reason,
        "number": refresh.number,
        "version": refresh.version,
        "rows_inserted": refresh.rows_inserted,
        "rows_deleted": refresh.rows_deleted,
        **refresh.measures,
    }
    return {f"streamtables.{name}": fact for name, fact in facts.items() if fact is not None}
