"""Values as tables of HTML, for notebooks."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any

from streamtables.model import Refresh, StreamTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.refresh.doctor import Checkup
    from streamtables.refresh.explained import Explanation
    from streamtables.refresh.verify import Verification

# What people look for in values of many fields; of others, all fields are shown.
_SHOWN: dict[type, tuple[str, ...]] = {
    StreamTable: ("name", "schedule", "refresh_mode", "query"),
    Refresh: (
        *("name", "action", "reason", "rows_inserted", "rows_deleted", "version"),
        *("seconds", "started_at", "error"),
    ),
}
# Queries and errors keep their lines.
_STYLE = ' style="text-align:left;vertical-align:top;white-space:pre-wrap"'


class Rows(list[Any]):
    """A list of rows, or of values with fields, that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return table([_fields(row) for row in self])


def table(rows: list[Mapping[str, object]]) -> str:
    """Rows as a table; columns that are empty in all of them are left out."""
    if not rows:
        return "<i>nothing</i>"
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    head = "".join(f"<th{_STYLE}>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td{_STYLE}>{_cell(row[name])}</td>' for name in names)}</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def refresh_html(refresh: Refresh) -> str:
    """What a refresh did."""
    return table([_fields(refresh)])


def verification_html(found: Verification) -> str:
    """Whether a stream table is its query, and the rows that differ."""
    if found.is_same:
        return f"✓ <b>{escape(found.name)}</b> is its query, run in full."
    return f"✗ <b>{escape(found.name)}</b> is not its query:<pre>{escape(str(found))}</pre>"


def explanation_html(found: Explanation) -> str:
    """What the next refresh would do: the head in sight, each step to be opened."""
    head = (
        f"<b>{escape(found.name)}</b>: {escape(found.action)} <code>{escape(found.reason)}</code>"
    )
    parts = [f"<p>{head} {escape(found.detail or '')}</p>"]
    if found.plan is not None:
        parts.append(f"<pre>{escape(found.plan)}</pre>")
    parts += [
        f"<details><summary>{escape(step.name)}: {escape(step.note)}</summary>"
        f"<pre>{escape(step.tree)}</pre><pre>{escape(step.sql)}</pre></details>"
        for step in found.steps
    ]
    return "".join(parts)


def checkup_html(found: Checkup) -> str:
    """What the doctor found, and for how long sources keep what tables have yet to take in."""
    headroom = f"<p>Headroom</p>{Rows(found.headroom)._repr_html_()}" if found.headroom else ""
    return Rows(found.findings)._repr_html_() + headroom


def _fields(row: Any) -> Mapping[str, object]:
    if isinstance(row, dict):
        return row
    names = _SHOWN.get(type(row)) or [field.name for field in fields(row)]
    return {name: getattr(row, name) for name in names}


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return escape(value.isoformat(" ", "seconds"))
    if isinstance(value, Enum):
        return escape(str(value.value))
    if isinstance(value, float):
        return str(round(value, 3))
    return escape("" if value is None else str(value))
