"""What a commit says of itself, and by which a refresh that is there already is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.errors import CommitLost

if TYPE_CHECKING:
    from streamtables.spark.log import DeltaLog


@dataclass(frozen=True)
class Stamp:
    """Whose transaction a commit is, its number, and the frontier."""

    app_id: str
    number: int
    metadata: str

    def is_in(self, log: DeltaLog, version: int | None = None) -> bool:
        """Whether a version holds this commit, or a later one of the same."""
        found = log.transaction(self.app_id, version)
        return found is not None and found >= self.number

    def lost(self) -> CommitLost:
        """The error for a refresh that another process was first with."""
        return CommitLost(
            f"Another process has committed refresh {self.number} already",
            hint="Nothing was written twice; the table is up to date.",
        )
