"""What is known of the stream tables, gathered from the registry and from a look at the base tables."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from streamtables.model import CLOCK, Action, SourceKind, Status
from streamtables.refresh.graph import in_order, reads
from streamtables.schedule import parse_schedule
from streamtables.scheduler.due import Known, graphs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from streamtables.catalog.attempts import LastAttempt
    from streamtables.catalog.base import CatalogReader
    from streamtables.model import Frontier, Source, StreamTable
    from streamtables.refresh.engine import Engine

# Why an attempt ended before it began.
_KEPT_BACK = {"PAUSED", "SUSPENDED", "UPSTREAM_PAUSED", "UPSTREAM_FAILED"}
# A source without a log is read in full to see whether it has moved: not more often than this.
_FULL_LOOK = timedelta(seconds=60)


def known_tables(
    catalog: CatalogReader, engine: Engine, tables: Sequence[StreamTable], now: datetime
) -> list[Known]:
    """What is known now, as the due-logic wants it."""
    attempts, frontiers = catalog.attempts(), catalog.frontiers()
    keys = {table.name.key for table in tables}
    names = graphs({table.name.key: reads(table) & keys for table in tables})
    bad = {table.name.key for table in tables if _is_bad(table, attempts.get(table.id))}
    above: dict[str, set[str]] = {}
    bases: dict[str, dict[str, Source]] = {}
    found = []
    for table in in_order(tables):
        key = table.name.key
        near = reads(table) & keys
        above[key] = near.union(*(above[other] for other in near))
        bases[key] = {s.name.key: s for s in table.sources if s.name.key not in keys}
        for other in near:
            bases[key] |= bases[other]
        last, frontier = attempts.get(table.id), frontiers.get(table.id)
        is_on_change = parse_schedule(table.schedule) == ("on change", "")
        tried_at = _tried_at(table, last, frontier)
        found.append(
            Known(
                key=key,
                schedule=table.schedule,
                tried_at=tried_at,
                upstream=above[key],
                graph=names[key],
                status=table.status,
                failures=_failures(last, is_free=not above[key] & bad),
                is_held_back=last is not None and last.action is Action.SKIPPED,
                has_news=is_on_change and _has_news(engine, bases[key], frontier, now - tried_at),
            )
        )
    return found


def _is_bad(table: StreamTable, last: LastAttempt | None) -> bool:
    """Whether those that read a table have to wait for it."""
    return table.status is not Status.ACTIVE or (last is not None and last.failures > 0)


def _failures(last: LastAttempt | None, *, is_free: bool) -> int:
    """Failures in a row; one, to be tried again soon, where it was only kept back, and is so no more."""
    if last is None:
        return 0
    return 1 if is_free and last.reason in _KEPT_BACK else last.failures


def _tried_at(table: StreamTable, last: LastAttempt | None, frontier: Frontier | None) -> datetime:
    if last is not None:
        return last.started_at
    stamp = frontier.data_timestamp if frontier else None
    return stamp or table.created_at


def _has_news(
    engine: Engine, bases: Mapping[str, Source], frontier: Frontier | None, age: timedelta
) -> bool:
    """Whether a base table behind a table is not where it was."""
    stands = (frontier.bases or frontier.positions) if frontier else {}
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
