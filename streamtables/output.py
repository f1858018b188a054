"""Rows for people and programs: a table on a terminal, plain columns in a pipe, JSON on demand."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.model import Refresh


def print_refreshes(refreshes: Sequence[Refresh], as_json: bool) -> None:
    """Refreshes as rows; in JSON with all that history keeps of them."""
    rows = [{**_glance(done), **(_more(done) if as_json else {})} for done in refreshes]
    print_rows(rows, as_json)


def _glance(done: Refresh) -> dict[str, object]:
    return {
        "name": done.name,
        "action": done.action.value,
        "reason": done.reason,
        "rows_inserted": done.rows_inserted,
        "rows_deleted": done.rows_deleted,
        "version": done.version,
        "seconds": round(done.seconds, 3),
        "started_at": done.started_at,
        "error": done.error,
    }


def _more(done: Refresh) -> dict[str, object]:
    since = done.since.positions if done.since else {}
    until = done.frontier.positions if done.frontier else {}
    return {
        "number": done.number,
        "data_timestamp": done.frontier.data_timestamp if done.frontier else None,
        "versions": {
            name: [since[name].version if name in since else None, position.version]
            for name, position in until.items()
        },
        "detail": done.detail,
        "measures": dict(done.measures),
    }


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    """As JSON, as a table on a terminal, as plain columns in a pipe."""
    if as_json:
        print(as_json_text(rows))
        return
    if not rows:
        return
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    texts = [[_text(row[name]) for name in columns] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*columns)
        for text in texts:
            table.add_row(*text)
        Console().print(table)
        return
    widths = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    for line in (columns, *texts):
        print(
            "  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip()
        )


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    return "" if value is None else str(value)


def as_json_text(value: object) -> str:
    """A value as JSON; what JSON has no form for, as text."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return json.dumps(value, default=_text, indent=2)


def print_error(error: Exception) -> None:
    """One line on stderr, red on a terminal."""
    line = " ".join(f"streamtables: {error}".split())
    if sys.stderr.isatty():
        from rich.console import Console

        Console(stderr=True, soft_wrap=True).print(line, style="red", markup=False, highlight=False)
    else:
        print(line, file=sys.stderr)
