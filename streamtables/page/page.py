"""The page: every stream table of a registry at a glance, as HTML that needs nothing but a browser."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from streamtables.catalog.status import status_rows
from streamtables.page.chart import BARS, KINDS, chart
from streamtables.page.graph import anchor, graph
from streamtables.page.lineage import Lineage, lineage
from streamtables.page.looks import script, style
from streamtables.page.state import BAD, GOOD, LATE, NEW, OFF, WORDS, State, age, state_of
from streamtables.refresh.choose import REASONS
from streamtables.refresh.graph import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from streamtables.catalog.base import CatalogReader
    from streamtables.model import Refresh, StreamTable

_ROWS = 15
_SHORTEST = {BAD: 0, LATE: 1, NEW: 2, OFF: 3, GOOD: 4}


def page(
    catalog: CatalogReader,
    title: str,
    now: datetime,
    zone: str | None = None,
    *,
    is_live: bool = True,
) -> str:
    """What the registry holds at this moment; a live page asks for itself anew every few seconds."""
    tables = in_order(catalog.tables())
    histories = {table.id: catalog.history(table.id, BARS) for table in tables}
    status: dict[object, dict[str, object]] = {
        row["name"]: row for row in status_rows(catalog, now, zone)
    }
    states = {
        name: state_of(table, histories[table.id], status[name], now)
        for table in tables
        if (name := str(table.name)) in status
    }
    found = lineage(tables)
    words = {name: (state.kind, state.words) for name, state in states.items()}
    worst = sorted(tables, key=lambda table: _SHORTEST[states[str(table.name)].kind])
    cards = [
        _card(table, states[str(table.name)], histories[table.id], found, now) for table in worst
    ]
    body = (
        f"<header><h1>Stream tables</h1><p class=where>{escape(title)}</p>"
        f"<p class=counts>{_counts(list(states.values()))}</p>"
        f"<p class=at>as of <time>{now:%Y-%m-%d %H:%M:%S} UTC</time></p></header>"
        f"<section class=panel>{graph(found, words) if tables else _EMPTY}</section>"
        f"<section class=cards>{''.join(cards)}</section>{_LEGEND if tables else ''}"
    )
    return document(f"Stream tables · {title}", body, script() if is_live else "")


def graph_page(found: Lineage) -> str:
    """The graph alone, with where the columns come from."""
    cards = [
        f'<article id="{anchor(name)}"><h2>{escape(name)}</h2>{_columns(found, name)}</article>'
        for name in found.tables
        if name in found.streams
    ]
    body = (
        "<header><h1>Lineage</h1></header>"
        f"<section class=panel>{graph(found)}</section><section class=cards>{''.join(cards)}</section>"
    )
    return document("Lineage", body, "")


def document(title: str, body: str, code: str) -> str:
    """A page that stands for itself: it may load nothing, and run nothing but its own script."""
    return (
        '<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content="width=device-width">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{style('page')}</style></head>"
        f"<body><main>{body}</main>{f'<script>{code}</script>' if code else ''}</body></html>"
    )


_LEGEND = (
    "<footer>A bar is a refresh, its height the order of magnitude of its time: "
    + ", ".join(
        f"<i class={kind}></i> {words}"
        for kind, words in (
            ("incremental", "incremental"),
            ("full", "recomputed"),
            ("none", "nothing to do"),
            ("failed", "failed"),
        )
    )
    + ".</footer>"
)
_EMPTY = "<p class=empty>No stream tables yet. <code>streamtables create</code> makes one.</p>"


def _counts(states: Sequence[State]) -> str:
    counts = {kind: sum(state.kind == kind for state in states) for kind in _SHORTEST}
    return " ".join(
        f'<span class="chip {kind}">{count} {WORDS[kind]}</span>'
        for kind, count in counts.items()
        if count
    )


def _card(
    table: StreamTable,
    state: State,
    history: Sequence[Refresh],
    found: Lineage,
    now: datetime,
) -> str:
    name = str(table.name)
    last = history[0] if history else None
    error = f"<pre class=error>{escape(state.error)}</pre>" if state.error else ""
    did = f"<p class=did>{_did(last)}</p>" if last else ""
    return (
        f'<article id="{anchor(name)}" class="{state.kind}"><h2>{escape(name)} '
        f'<span class="chip {state.kind}">{escape(WORDS[state.kind])}</span></h2>'
        f"<dl>{_facts(table, state, now)}</dl>{error}{did}"
        f"<div class=bars>{chart(history)}</div>"
        f"{_details('Definition', f'<pre>{escape(table.query.strip())}</pre>', name)}"
        f"{_details('Columns', _columns(found, name), name)}"
        f"{_details('History', _history(history), name)}</article>"
    )


def _facts(table: StreamTable, state: State, now: datetime) -> str:
    lag = age((now - state.fresh_at).total_seconds()) if state.fresh_at else "—"
    facts = {
        "lag": lag,
        "schedule": table.schedule or "by hand",
        "mode": table.refresh_mode.value,
    }
    return "".join(
        f"<div><dt>{word}</dt><dd>{escape(value)}</dd></div>" for word, value in facts.items()
    )


def _did(last: Refresh) -> str:
    why = REASONS.get(last.reason, "")
    moved = f", <span class=rows>+{last.rows_inserted:,} −{last.rows_deleted:,} rows</span>"
    moved *= last.rows_inserted > 0 or last.rows_deleted > 0
    return (
        f'<b class="{KINDS[last.action]}">{last.action.value}</b> <code>{escape(last.reason)}</code> '
        f"in {last.seconds:.3g} s{moved}"
        f"{f'<br><small>{escape(why)}</small>' if why else ''}"
    )


def _details(title: str, body: str, name: str) -> str:
    return f'<details data-key="{escape(f"{title} {name}")}"><summary>{title}</summary>{body}</details>'


def _columns(found: Lineage, name: str) -> str:
    columns = found.columns.get(name)
    if columns is None:
        return "<p class=empty>The query is recomputed as it is written: its columns are not followed.</p>"
    rows = [
        f"<tr><th scope=row>{escape(column)}</th><td>{_fields(fields)}</td></tr>"
        for column, fields in columns.items()
    ]
    return f"<table><tr><th>column</th><th>comes from</th></tr>{''.join(rows)}</table>"


def _fields(fields: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"<code>{escape(f'{table}.{column}')}</code>" for table, column in fields)
    return listed or "<small>no column</small>"


def _history(history: Sequence[Refresh]) -> str:
    rows = "".join(
        f"<tr><td><time>{one.started_at:%m-%d %H:%M:%S}</time></td>"
        f'<td class="{KINDS[one.action]}">{one.action.value.replace("_", "_<wbr>")}<br>'
        f"<small>{escape(one.reason).replace('_', '_<wbr>')}</small></td>"
        f"<td class=number>{one.seconds:.3g} s</td><td class=number>{_rows(one)}</td></tr>"
        for one in history[:_ROWS]
    )
    heads = "<th>began</th><th>did</th><th class=number>took</th><th class=number>rows</th>"
    return f"<table><tr>{heads}</tr>{rows}</table>"


def _rows(one: Refresh) -> str:
    if one.rows_inserted == one.rows_deleted == 0:
        return "<small>none</small>"
    return f"+{one.rows_inserted:,}<br>−{one.rows_deleted:,}"
