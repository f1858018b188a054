"""The values of a plan: what applying a project does to each table, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from streamtables.sql.parse import parse_query

if TYPE_CHECKING:
    from streamtables.errors import StreamTablesError
    from streamtables.model import StreamTable, TableName
    from streamtables.project.files import Declared


class Change(str, Enum):
    """What happened to a table's file."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    AFFECTED = "affected"  # the file is as it was, but a table that it reads is not
    UNCHANGED = "unchanged"


class Step(str, Enum):
    """What applying does to a table."""

    CREATE = "create"
    REBUILD = "rebuild"  # compared with its query, run in full; the difference is one commit
    SETTINGS = "settings"  # another schedule or mode; no row moves
    INCREMENTAL = "incremental"
    FULL = "full"
    DROP = "drop"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Planned:
    """What applying does to one table, and why."""

    name: TableName
    change: Change
    step: Step
    why: str
    error: StreamTablesError | None = None
    declared: Declared | None = None
    table: StreamTable | None = None
    reads: frozenset[str] = frozenset()  # the tables of the plan that it reads, by key

    @property
    def is_new_query(self) -> bool:
        """Whether the table is to hold the answer of another query, or to check its rows otherwise."""
        file, table = self.declared, self.table
        return bool(
            file
            and table
            and (not is_same_query(file.query, table.query) or file.checks != table.checks)
        )

    @property
    def is_new_setting(self) -> bool:
        """Whether the table is to have another schedule or mode."""
        file, table = self.declared, self.table
        return bool(
            file
            and table
            and (file.schedule, file.refresh_mode) != (table.schedule, table.refresh_mode)
        )

    @property
    def row(self) -> dict[str, object]:
        """The step for people and programs."""
        return {
            "name": str(self.name),
            "change": self.change.value,
            "action": "refused" if self.error else self.step.value,
            "why": str(self.error) if self.error else self.why,
            "file": self.declared.path if self.declared else None,
        }


@dataclass(frozen=True)
class ProjectPlan:
    """The steps, each after those whose tables it reads, what is to be dropped last."""

    steps: tuple[Planned, ...]

    @property
    def to_do(self) -> tuple[Planned, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.step is not Step.NOTHING)

    @property
    def refused(self) -> tuple[Planned, ...]:
        """The steps that cannot be taken."""
        return tuple(step for step in self.steps if step.error)


def is_same_query(one: str, other: str) -> bool:
    """Whether two texts are one query but for spacing and comments."""
    return one == other or parse_query(one) == parse_query(other)
