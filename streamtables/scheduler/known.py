"""What is known of the stream tables, gathered from the registry and from a look at the base tables."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from streamtables.model import CLOCK, Action, SourceKind
from streamtables.refresh.graph import reads, upstream
from streamtables.schedule import parse_schedule
from streamtables.scheduler.due import Known, graphs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from streamtables.catalog.attempts import LastAttempt
    from streamtables.catalog.base import CatalogReader
    from streamtables.model import Frontier, Source, StreamTable
    from streamtables.refresh.engine import Engine

# A source without a log is read in full to see whether it has moved: not more often than this.
_FULL_LOOK = timedelta(seconds=60)


def known_tables(
    catalog: CatalogReader, engine: Engine, tables: Sequence[StreamTable], now: datetime
) -> list[Known]:
    """What is known now, as the due-logic wants it."""
    attempts, frontiers = catalog.attempts(), catalog.frontiers()
    keys = {table.name.key for table in tables}
    names = graphs({table.name.key: reads(table) & keys for table in tables})
    found = []
    for table in tables:
        last, frontier = attempts.get(table.id), frontiers.get(table.id)
        above = upstream(table, tables)
        is_on_change = parse_schedule(table.schedule) == ("on change", "")
        tried_at = _tried_at(table, last, frontier)
        found.append(
            Known(
                key=table.name.key,
                schedule=table.schedule,
                tried_at=tried_at,
                upstream={other.name.key for other in above[:-1]},
                graph=names[table.name.key],
                status=table.status,
                failures=last.failures if last else 0,
                is_held_back=last is not None and last.action is Action.SKIPPED,
                has_news=is_on_change and _has_news(engine, above, frontier, now - tried_at),
            )
        )
    return found


def _tried_at(table: StreamTable, last: LastAttempt | None, frontier: Frontier | None) -> datetime:
    if last is not None:
        return last.started_at
    stamp = frontier.data_timestamp if frontier else None
    return stamp or table.created_at


def _has_news(
    engine: Engine, above: Sequence[StreamTable], frontier: Frontier | None, age: timedelta
) -> bool:
    """Whether a base table behind a table is not where it was."""
    if frontier is None:
        return True
    stands = frontier.bases or frontier.positions
    keys = {table.name.key for table in above}
    bases = {
        source.name.key: source
        for table in above
        for source in table.sources
        if source.name.key not in keys
    }
    if bases.keys() != stands.keys() - {CLOCK}:
        return True
    return any(_has_moved(engine, source, stands, age) for source in bases.values())


def _has_moved(
    engine: Engine, source: Source, stands: Mapping[str, object], age: timedelta
) -> bool:
    if source.kind is SourceKind.MIRRORED:
        return age >= _FULL_LOOK
    try:
        return engine.pin([source])[source.name.key] != stands[source.name.key]
    except Exception:  # noqa: BLE001 the refresh meets it again, and tells
        return True
