"""From what an analyst says to a definition: names resolved, columns analyzed, what cannot be refused."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from streamtables.errors import (
    CycleFound,
    InvalidCheck,
    RepeatedColumn,
    SourceChanged,
    StreamTablesError,
    UnknownTable,
)
from streamtables.model import RefreshMode, StreamTable, View
from streamtables.plan.nodes import InvalidPlan
from streamtables.schedule import parse_schedule
from streamtables.sql.compile import Compiled, compile_query, fingerprint, with_views_inside
from streamtables.sql.condition import require_condition, with_condition
from streamtables.sql.query import Query

if TYPE_CHECKING:
    from streamtables.checks import Check
    from streamtables.model import Column, Source, TableName
    from streamtables.refresh.engine import Engine


def define(
    engine: Engine,
    name: TableName,
    query: str,
    schedule: str | None,
    refresh_mode: str,
    checks: tuple[Check, ...] = (),
) -> StreamTable:
    """A new stream table's definition."""
    parse_schedule(schedule)
    mode = mode_of(refresh_mode)
    views = _views(engine, query)
    text = with_views_inside(query, views)
    sources = _sources(engine, text, name)
    columns = _columns(engine, text, sources, mode)
    _require_checks(engine, text, sources, checks)
    return StreamTable(
        id=uuid.uuid4().hex,
        name=name,
        query=query,
        schedule=schedule,
        refresh_mode=mode,
        columns=columns,
        sources=sources,
        fingerprint=fingerprint(text, sources, checks),
        generation=1,
        created_at=datetime.now(timezone.utc),
        views=views,
        checks=checks,
    )


def redefine(
    engine: Engine,
    old: StreamTable,
    query: str | None,
    schedule: str | None,
    mode: RefreshMode,
    checks: tuple[Check, ...] | None = None,
) -> StreamTable:
    """An altered definition; another query or other checks begin a new generation of refreshes."""
    parse_schedule(schedule)
    new = replace(old, schedule=schedule, refresh_mode=mode)
    views = _views(engine, query) if query is not None else old.views
    text = with_views_inside(query if query is not None else old.query, views)
    sources = _sources(engine, text, old.name) if query is not None else old.sources
    columns = _columns(engine, text, sources, mode)
    checks = old.checks if checks is None else checks
    _require_checks(engine, text, sources, checks)
    mark = fingerprint(text, sources, checks)
    if mark == old.fingerprint:
        return new
    return replace(
        new,
        query=query if query is not None else old.query,
        views=views,
        sources=sources,
        columns=columns,
        checks=checks,
        fingerprint=mark,
        generation=old.generation + 1,
    )


def resolved_again(engine: Engine, old: StreamTable) -> StreamTable:
    """A definition over its sources' columns as they are now; refused if its own columns would change."""
    views = tuple(replace(view, query=engine.view(view.name) or view.query) for view in old.views)
    text = with_views_inside(old.query, views)
    if views == old.views:
        sources = tuple(engine.source(source.name) for source in old.sources)
    else:
        sources = _sources(engine, text, old.name)
    try:
        columns = _columns(engine, text, sources, old.refresh_mode)
    except StreamTablesError as error:
        raise SourceChanged(
            f"The query of {old.name} no longer fits its sources: {error.message}",
            hint="Alter the stream table's query, or undo the change of the source.",
        ) from error
    if columns != old.columns:
        now = ", ".join(f"{column.name} {column.type}" for column in columns)
        raise SourceChanged(
            f"The columns of {old.name}'s query are now ({now})",
            hint="Alter the stream table to take them on, or undo the change of the source.",
        )
    mark = fingerprint(text, sources, old.checks)
    return replace(old, sources=sources, views=views, fingerprint=mark)


def redefined_view(engine: Engine, table: StreamTable) -> View | None:
    """A view of the query that means something else by now. One that this session does not know stays what it was."""
    for view in table.views:
        if (engine.view(view.name) or view.query) != view.query:
            return view
    return None


def mode_of(text: str) -> RefreshMode:
    """A refresh mode by its name."""
    try:
        return RefreshMode(text.upper())
    except ValueError:
        modes = ", ".join(mode.value for mode in RefreshMode)
        raise StreamTablesError(
            f"{text!r} is not a refresh_mode", hint=f"Write one of {modes}."
        ) from None


def _views(engine: Engine, query: str) -> tuple[View, ...]:
    """The views that a query reads, by names that hold in any session."""
    found = ((name, engine.view(name)) for name in Query.parse(query).names)
    return tuple(View(name, engine.resolve(name), text) for name, text in found if text is not None)


def _sources(engine: Engine, query: str, name: TableName) -> tuple[Source, ...]:
    sources = []
    parsed = Query.parse(query)
    for written in parsed.names:
        if engine.resolve(written).key == name.key:
            raise CycleFound(f"{name} would read itself", hint="Take it out of its own query.")
        try:
            sources.append(engine.source(written))
        except UnknownTable as error:
            where = parsed.place_of(written) if parsed.text == query else None
            raise UnknownTable(error.message, place=where, hint=error.hint) from None
    return tuple(sources)


def _columns(
    engine: Engine, query: str, sources: tuple[Source, ...], mode: RefreshMode
) -> tuple[Column, ...]:
    try:
        compiled = compile_query(query, sources)
    except InvalidPlan:
        # Lowering trusts the query to be sound: Spark says what is not.
        engine.analyze(Compiled(Query.parse(query), sources, None, None))
        raise
    if mode is RefreshMode.INCREMENTAL and compiled.refusal is not None:
        raise compiled.refusal
    columns = engine.analyze(compiled)
    if mode is RefreshMode.INCREMENTAL and (refusal := compiled.giving(columns).refusal):
        raise refusal
    names = [column.name.lower() for column in columns]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise RepeatedColumn(
            f"The query has more than one column named {', '.join(repeated)}",
            hint="Give each a name of its own with AS.",
        )
    return columns


def _require_checks(
    engine: Engine, query: str, sources: tuple[Source, ...], checks: tuple[Check, ...]
) -> None:
    """Refuse a check that the lake cannot answer with yes or no for each row of a query."""
    for check in checks:
        require_condition(check)
        text = with_condition(query, check)
        try:
            (column,) = engine.analyze(Compiled(Query.parse(text), sources, None, None))
        except StreamTablesError as error:
            raise InvalidCheck(
                f"The check {check.name} ({check.condition}) does not fit the query: {error.message}",
                hint="Its condition is over the columns of the query's answer.",
            ) from error
        if column.type != "boolean":
            raise InvalidCheck(
                f"The check {check.name} ({check.condition}) is of type {column.type}",
                hint="Write a condition, which is true or false.",
            )
