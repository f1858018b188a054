"""Events as lines."""

from __future__ import annotations

import io
import json
from datetime import datetime, timezone

from streamtables.model import Action, Refresh
from streamtables.scheduler.events import Event, to_stream

AT = datetime(2026, 1, 1, tzinfo=timezone.utc)


def written(form: str, level: str, *events: Event) -> list[str]:
    stream = io.StringIO()
    tell = to_stream(stream, form, level)
    for event in events:
        tell(event)
    return stream.getvalue().splitlines()


def test_text_is_one_line_whatever_is_in_it() -> None:
    (line,) = written(
        "text", "INFO", Event("failed", "ERROR", {"table": "s.t", "error": 'a "b"\nc='})
    )
    assert line.endswith(r'ERROR failed table=s.t error="a \"b\"\nc="')


def test_json_is_one_object_per_line() -> None:
    (line,) = written("json", "INFO", Event("started", fields={"process": "1@host"}))
    assert {**json.loads(line), "at": None} == {
        "at": None, "level": "INFO", "event": "started", "process": "1@host",
    }  # fmt: skip


def test_a_refresh_without_data_is_a_detail() -> None:
    nothing = Refresh("id", "t", 1, Action.NO_DATA, "NO_CHANGE", AT, 0.1)
    failed = Refresh("id", "t", -1, Action.FAILED, "OSError", AT, 0.1, error="the disk")
    lines = written("text", "INFO", Event.of(nothing), Event.of(failed))
    assert len(lines) == 1
    assert "WARNING refresh table=t action=FAILED reason=OSError" in lines[0]
    assert len(written("text", "DEBUG", Event.of(nothing))) == 1
