"""What the registry says of each stream table at a glance."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from streamtables.catalog.base import utc_now
from streamtables.checks import failing_of
from streamtables.config import load_settings
from streamtables.model import Status
from streamtables.schedule import parse_schedule
from streamtables.ticks import target_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from streamtables.catalog.base import CatalogReader
    from streamtables.model import StreamTable

# So many attempts are searched for one that looked at rows: others found nothing to do.
_LOOKED_BACK = 100


def status_rows(
    catalog: CatalogReader, now: datetime | None = None, zone: str | None = None
) -> list[dict[str, object]]:
    """One row per stream table: its state, its last refresh, how fresh it is.

    `lag_s` is the age of its data; it `is_late` where that is more than its target (`targets_s`).
    """
    now, zone = now or utc_now(), zone or load_settings().daemon.timezone
    frontiers, tables = catalog.frontiers(), catalog.tables()
    targets = targets_s(tables, now, zone)
    rows: list[dict[str, object]] = []
    for table in tables:
        last = next(iter(catalog.history(table.id, 1)), None)
        frontier = frontiers.get(table.id)
        fresh_at = frontier.data_timestamp if frontier else None
        rows.append(
            {
                "name": str(table.name),
                "status": table.status.value,
                "schedule": table.schedule,
                "refresh_mode": table.refresh_mode.value,
                "last_action": last.action.value if last else None,
                "last_reason": last.reason if last else None,
                "last_seconds": round(last.seconds, 3) if last else None,
                "data_timestamp": fresh_at,
                "lag_s": round((now - fresh_at).total_seconds(), 3) if fresh_at else None,
                "is_late": _is_late(table, fresh_at, now, targets),
                "failing": failing_rows(catalog, table) or None,
                "message": table.message or (last.error if last else None),
            }
        )
    return rows


def targets_s(tables: Sequence[StreamTable], now: datetime, zone: str) -> dict[str, float]:
    """How old the data of each table may be now, by its key: as old as the tick before the last.

    A DOWNSTREAM table has the least target of those that read it, directly or not. Tables ON CHANGE, by hand, and those
    that are not ACTIVE have none: no tick says when they are late.
    """
    active = [table for table in tables if table.status is Status.ACTIVE]
    ticking = ((table.name.key, target_s(table.schedule, now, zone)) for table in active)
    own = {key: seconds for key, seconds in ticking if seconds is not None}
    least = _least(own, {table.name.key: _reads(table) for table in tables})
    following = [table.name.key for table in active if _is_downstream(table)]
    return {key: least[key] for key in following if key in least} | own


def failing_rows(catalog: CatalogReader, table: StreamTable) -> dict[str, int]:
    """How many rows failed each of a table's checks, when they were last looked at."""
    if not table.checks:
        return {}
    counts = (failing_of(past.measures) for past in catalog.history(table.id, _LOOKED_BACK))
    names = {check.name for check in table.checks}
    return next((found for found in counts if found.keys() == names), {})


def _is_downstream(table: StreamTable) -> bool:
    return parse_schedule(table.schedule) == ("downstream", "")


def _reads(table: StreamTable) -> list[str]:
    return [source.name.key for source in table.sources]


def _least(own: Mapping[str, float], reads: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """The least target among each table's own and those of all that read it."""
    found: dict[str, float] = {}
    for first in sorted(own, key=own.__getitem__):  # who comes by first has the least
        waiting = [first]
        while waiting:
            key = waiting.pop()
            if key in reads and key not in found:
                found[key] = own[first]
                waiting += reads[key]
    return found


def _is_late(
    table: StreamTable, fresh_at: datetime | None, now: datetime, targets: Mapping[str, float]
) -> bool | None:
    """Whether it is late; None where nothing says when it is."""
    target = targets.get(table.name.key)
    if target is None:
        return None
    wanted = now - timedelta(seconds=target)
    return wanted > table.created_at and (fresh_at is None or fresh_at < wanted)
