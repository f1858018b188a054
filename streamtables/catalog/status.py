"""What the registry says of each stream table at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamtables.catalog.base import CatalogReader


def status_rows(catalog: CatalogReader) -> list[dict[str, object]]:
    """One row per stream table: its state, its last refresh, how fresh it is."""
    frontiers = catalog.frontiers()
    rows: list[dict[str, object]] = []
    for table in catalog.tables():
        last = next(iter(catalog.history(table.id, 1)), None)
        frontier = frontiers.get(table.id)
        rows.append(
            {
                "name": str(table.name),
                "status": table.status.value,
                "schedule": table.schedule,
                "refresh_mode": table.refresh_mode.value,
                "last_action": last.action.value if last else None,
                "last_reason": last.reason if last else None,
                "last_seconds": round(last.seconds, 3) if last else None,
                "data_timestamp": frontier.data_timestamp if frontier else None,
                "message": table.message or (last.error if last else None),
            }
        )
    return rows
