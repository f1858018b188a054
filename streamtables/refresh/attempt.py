"""An attempt to refresh, from its beginning to the row that history keeps of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.errors import CheckFailed
from streamtables.model import Action, Refresh
from streamtables.refresh.choose import reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from streamtables.model import Committed, Frontier, StreamTable
    from streamtables.refresh.choose import Decision


@dataclass(frozen=True)
class Ended:
    """How an attempt ended: what history says of it, and the error if there was one."""

    refresh: Refresh
    error: Exception | None = None


@dataclass(frozen=True)
class Attempt:
    """An attempt under way: makes the history row of each way it can end."""

    table: StreamTable
    started_at: datetime
    clock: float
    since: Frontier | None = None

    @classmethod
    def begun(cls, table: StreamTable, now: datetime) -> Attempt:
        """An attempt that begins now."""
        return cls(table, now, time.perf_counter())

    def nothing(
        self, reason: str, frontier: Frontier, measures: Mapping[str, float] | None = None
    ) -> Refresh:
        """It found nothing to do; `frontier` is what it looked at."""
        return self._ended(
            Action.NO_DATA, reason, frontier.number, frontier=frontier, measures=measures or {}
        )

    def done(
        self,
        decision: Decision,
        committed: Committed,
        frontier: Frontier,
        measures: Mapping[str, float],
    ) -> Refresh:
        """It wrote what had changed, or found that nothing had."""
        return self._ended(
            decision.action,
            decision.reason,
            frontier.number,
            frontier=frontier,
            detail=decision.detail,
            version=committed.version,
            rows_inserted=committed.rows_inserted,
            rows_deleted=committed.rows_deleted,
            measures={**measures, **decision.measures},
        )

    def failed(self, error: Exception) -> Refresh:
        """It ended in an error and wrote nothing."""
        measures = error.measures if isinstance(error, CheckFailed) else {}
        return self._ended(Action.FAILED, reason_of(error), -1, error=str(error), measures=measures)

    def skipped(self, action: Action, reason: str, detail: str | None) -> Refresh:
        """It was not begun."""
        return self._ended(action, reason, -1, detail=detail)

    def _ended(self, action: Action, reason: str, number: int, **rest: Any) -> Refresh:
        seconds = time.perf_counter() - self.clock
        name = str(self.table.name)
        return Refresh(
            self.table.id,
            name,
            number,
            action,
            reason,
            self.started_at,
            seconds,
            since=self.since,
            **rest,
        )
