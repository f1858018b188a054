"""The newest attempt at each stream table, in short, so that the scheduler need not search history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.codec import moment_from_text, moment_to_text
from streamtables.model import Action

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from streamtables.model import Refresh


def is_attempt(refresh: Refresh) -> bool:
    """Whether it was tried or kept back; missed ticks are noted before the attempt that makes up for them.

    If that attempt is killed, the table has to be due as before.
    """
    return refresh.reason != "TICKS_MISSED"


@dataclass(frozen=True, slots=True)
class LastAttempt:
    """When it began, how it ended, and how many failed since the last that did not."""

    started_at: datetime
    action: Action
    reason: str
    failures: int

    @classmethod
    def after(cls, refresh: Refresh, failures: int) -> LastAttempt:
        """A refresh, where so many attempts had failed before."""
        has_failed = refresh.action.is_failure
        if not has_failed and refresh.action is not Action.SKIPPED:
            failures = 0
        return cls(refresh.started_at, refresh.action, refresh.reason, failures + has_failed)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> LastAttempt:
        """What `to_row` wrote."""
        started_at, action = moment_from_text(row["started_at"]), Action(row["action"])
        return cls(started_at, action, row["reason"], row["failures"])

    def to_row(self) -> dict[str, Any]:
        """As the registry keeps it."""
        return {
            "started_at": moment_to_text(self.started_at),
            "action": self.action.value,
            "reason": self.reason,
            "failures": self.failures,
        }
