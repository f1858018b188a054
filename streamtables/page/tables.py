"""Values as tables of HTML, for notebooks."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import Refresh
    from streamtables.refresh.explained import Explanation
    from streamtables.refresh.verify import Verification

_SHOWN = ("name", "action", "reason", "rows_inserted", "rows_deleted", "version", "seconds")
_LEFT = ' style="text-align:left;vertical-align:top"'


class Rows(list[Any]):
    """A list of rows, or of values with fields, that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return table([_fields(row) for row in self])


def table(rows: list[Mapping[str, object]]) -> str:
    """Rows as a table; columns that are empty in all of them are left out."""
    if not rows:
        return "<i>nothing</i>"
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    head = "".join(f"<th{_LEFT}>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td{_LEFT}>{_cell(row[name])}</td>' for name in names)}</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def refresh_html(refresh: Refresh) -> str:
    """What a refresh did, and its error if it has one."""
    error = f"<pre>{escape(refresh.error)}</pre>" if refresh.error else ""
    return table([_fields(refresh)]) + error


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


def _fields(row: object) -> Mapping[str, object]:
    if isinstance(row, dict):
        return row
    names = [field.name for field in fields(row)] if is_dataclass(row) else []
    chosen = [name for name in _SHOWN if name in names] or names
    return {name: getattr(row, name) for name in chosen}


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return escape(value.isoformat(" ", "seconds"))
    if isinstance(value, Enum):
        return escape(str(value.value))
    return escape(
        "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
    )
