"""What the daemon tells of itself: one event, one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TextIO

    from streamtables.model import Refresh

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True)
class Event:
    """Something that happened: its name, and what belongs to it."""

    name: str
    level: str = "INFO"
    fields: Mapping[str, Any] = field(default_factory=dict)
    refresh: Refresh | None = None

    @classmethod
    def of(cls, refresh: Refresh) -> Event:
        """The end of an attempt; of one that found nothing to do, a detail."""
        has_failed = refresh.action.is_failure
        quiet = "DEBUG" if refresh.action == "NO_DATA" else "INFO"
        told = {
            "table": refresh.name,
            "action": refresh.action.value,
            "reason": refresh.reason,
            "seconds": round(refresh.seconds, 3),
            "rows_inserted": refresh.rows_inserted,
            "rows_deleted": refresh.rows_deleted,
            "version": refresh.version,
            "detail": refresh.detail,
            "error": refresh.error,
        }
        fields = {key: value for key, value in told.items() if value is not None}
        return cls("refresh", "WARNING" if has_failed else quiet, fields, refresh)


Listener = Callable[[Event], None]


def to_all(*listeners: Listener) -> Listener:
    """A listener that tells others."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell


def to_stream(stream: TextIO, form: str = "text", level: str = "INFO") -> Listener:
    """A listener that writes a line per event, from a level on."""

    def write(event: Event) -> None:
        if LEVELS.index(event.level) < LEVELS.index(level):
            return
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        if form == "json":
            told = {"at": at, "level": event.level, "event": event.name, **event.fields}
            line = json.dumps(told, default=str)
        else:
            words = " ".join(f"{key}={_shown(value)}" for key, value in event.fields.items())
            line = f"{at} {event.level} {event.name} {words}".rstrip()
        stream.write(f"{line}\n")
        stream.flush()

    return write


def _shown(value: object) -> str:
    text = str(value)
    return json.dumps(text) if set(text) & set(' \n\t"=') or not text else text
