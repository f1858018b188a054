"""The fuse: a change above a share of the table is not taken in unasked.

    max(rows in, rows out) > share · rows of the table, and ≥ least_rows: nothing is written, and somebody has to decide

An UPDATE counts once, as its rows come in as often as they go out. A table without rows has nothing to lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.errors import FuseBlown

if TYPE_CHECKING:
    from streamtables.model import StreamTable
    from streamtables.refresh.engine import Changes, Work


@dataclass(frozen=True)
class Fuse:
    """How much of a table may change unasked; with a share of 0 everything may."""

    share: float = 0.0
    least_rows: int = 1

    def require_small(self, table: StreamTable, changes: Changes, work: Work[Any]) -> None:
        """Refuse a change that is above the share."""
        if not self.share:
            return
        most = max(changes.rows_inserted, changes.rows_deleted)
        rows = work.sizes()[1] if most >= self.least_rows else 0
        if rows and most > self.share * rows:
            raise FuseBlown(
                f"{table.name} has {rows:,} rows; {changes.rows_deleted:,} would go and "
                f"{changes.rows_inserted:,} come, more than a share of {self.share:g}",
                hint=f"If that is right, `streamtables refresh {table.name}` takes it in; then resume the table.",
            )
