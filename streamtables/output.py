"""Rows for people and programs: a table on a terminal, plain columns in a pipe, JSON on demand."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from streamtables.errors import StreamTablesError, first_line
from streamtables.model import Refresh, StreamTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_ROWS = 1_000
"""So many rows of a query's answer are shown."""

SHORT = 16
"""Words of a table's column up to this length are kept whole on a terminal."""


def print_refreshes(refreshes: Sequence[Refresh], as_json: bool) -> None:
    """Refreshes as rows; in JSON with all that history keeps of them."""
    rows = [refresh_row(done, as_json) for done in refreshes]
    print_rows(rows, as_json)


def refresh_row(done: Refresh, is_whole: bool = False) -> dict[str, object]:
    """A refresh as a row; whole with all that history keeps of it."""
    return {**_glance(done), **(_more(done) if is_whole else {})}


def print_answer(answer: Any, as_json: bool = False) -> None:
    """What a statement answered: rows, refreshes, or a value that says itself what it is."""
    if answer is None:
        return
    if hasattr(answer, "columns") and hasattr(answer, "take"):
        _print_frame(answer, as_json)
    elif isinstance(answer, Refresh):
        print_refreshes([answer], as_json)
    elif isinstance(answer, (list, tuple)) and all(isinstance(part, _ROWS) for part in answer):
        print_rows([_row(part, as_json) for part in answer], as_json)
    else:
        print(as_json_text(answer) if as_json else answer)


_ROWS = (Refresh, StreamTable, dict)


def _row(value: Any, is_whole: bool) -> Mapping[str, object]:
    if isinstance(value, StreamTable):
        return {
            "name": str(value.name),
            "schedule": value.schedule,
            "refresh_mode": value.refresh_mode.value,
            "query": " ".join(value.query.split()),
        }
    return refresh_row(value, is_whole) if isinstance(value, Refresh) else value


def _print_frame(frame: Any, as_json: bool) -> None:
    """The rows of a DataFrame, as many as one can look at."""
    rows = [tuple(row) for row in frame.take(MOST_ROWS + 1)]
    names = list(frame.columns)
    if as_json:
        print(as_json_text([dict(zip(names, row, strict=True)) for row in rows[:MOST_ROWS]]))
    elif names:
        texts = [[shown(value) for value in row] for row in rows]
        print_table(names, texts[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        print(f"These are the first {MOST_ROWS:,} rows.", file=sys.stderr)


def shown(value: object) -> str:
    """A value of a row of data: NULL is one, too."""
    return "NULL" if value is None else _text(value)


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


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool = False) -> None:
    """As JSON, as a table on a terminal, as plain columns in a pipe."""
    if as_json:
        print(as_json_text(rows))
        return
    if not rows:
        return
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    heads = [name.replace("_", " ") for name in columns] if sys.stdout.isatty() else columns
    print_table(heads, [[_text(row[name]) for name in columns] for row in rows])


def print_table(columns: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
    """Columns of text under their names."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Column, Table
        from rich.text import Text

        heads = [
            Column(
                Text(name, overflow="fold"),
                overflow="fold",
                min_width=min(
                    SHORT, max((len(word) for text in column for word in text.split()), default=0)
                ),
            )
            for name, *column in zip(columns, *texts, strict=True)
        ]
        table = Table(*heads, box=None, padding=(0, 2, 0, 0))
        for text in texts:
            table.add_row(*map(Text, text))
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


@contextmanager
def working(words: str) -> Iterator[None]:
    """Something turns on the terminal while work goes on; nothing is said in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{words} …"):
        yield


def one_line(error: Exception) -> StreamTablesError:
    """Another's error as one of ours."""
    first = first_line(error) or type(error).__name__
    return StreamTablesError(first.rstrip("."), hint="--debug shows the trace.")


def print_error(error: Exception) -> None:
    """One line on stderr, red on a terminal."""
    line = " ".join(f"streamtables: {error}".split())
    if sys.stderr.isatty():
        from rich.console import Console

        Console(stderr=True, soft_wrap=True).print(line, style="red", markup=False, highlight=False)
    else:
        print(line, file=sys.stderr)
