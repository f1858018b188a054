"""What the registry says of each stream table at a glance."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from streamtables.catalog.base import utc_now
from streamtables.checks import failing_of
from streamtables.config import load_settings
from streamtables.ticks import target_s

if TYPE_CHECKING:
    from datetime import datetime

    from streamtables.catalog.base import CatalogReader
    from streamtables.model import StreamTable

# So many attempts are searched for one that looked at rows: others found nothing to do.
_LOOKED_BACK = 100


def status_rows(
    catalog: CatalogReader, now: datetime | None = None, zone: str | None = None
) -> list[dict[str, object]]:
    """One row per stream table: its state, its last refresh, how fresh it is.

    `lag_s` is the age of its data; it `is_late` where the tick before the last is not in yet.
    """
    now, zone = now or utc_now(), zone or load_settings().daemon.timezone
    frontiers = catalog.frontiers()
    rows: list[dict[str, object]] = []
    for table in catalog.tables():
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
                "is_late": _is_late(table, fresh_at, now, zone),
                "failing": failing_rows(catalog, table) or None,
                "message": table.message or (last.error if last else None),
            }
        )
    return rows


def failing_rows(catalog: CatalogReader, table: StreamTable) -> dict[str, int]:
    """How many rows failed each of a table's checks, when they were last looked at."""
    if not table.checks:
        return {}
    counts = (failing_of(past.measures) for past in catalog.history(table.id, _LOOKED_BACK))
    names = {check.name for check in table.checks}
    return next((found for found in counts if found.keys() == names), {})


def _is_late(
    table: StreamTable, fresh_at: datetime | None, now: datetime, zone: str
) -> bool | None:
    """Whether it is late; None where no tick says when it is."""
    target = target_s(table.schedule, now, zone)
    if target is None:
        return None
    wanted = now - timedelta(seconds=target)
    return wanted > table.created_at and (fresh_at is None or fresh_at < wanted)
