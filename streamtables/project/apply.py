"""Applying a plan: one table after the other, each whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from streamtables.errors import InvalidProject
from streamtables.project.steps import Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.checks import Expect
    from streamtables.model import Refresh
    from streamtables.project.steps import Planned, ProjectPlan


class Verbs(Protocol):
    """The verbs of the API that a plan calls."""

    def create_stream_table(
        self,
        name: str,
        query: str,
        schedule: str | None = None,
        refresh_mode: str = "AUTO",
        expect: Expect = None,
    ) -> Refresh:
        """Make a stream table and fill it."""

    def alter_stream_table(
        self,
        name: str,
        *,
        query: str | None = ...,
        schedule: str | None = ...,
        refresh_mode: str | None = ...,
        expect: Expect = ...,
    ) -> Refresh | None:
        """Change a stream table."""

    def drop_stream_table(self, name: str) -> None:
        """Remove a stream table."""

    def refresh(self, name: str) -> Refresh:
        """Refresh a stream table."""


@dataclass(frozen=True)
class Applied:
    """What became of one step: `done` or `failed`, or `skipped` where a table that it reads failed."""

    planned: Planned
    outcome: str
    refresh: Refresh | None = None
    error: Exception | None = None

    @property
    def row(self) -> dict[str, object]:
        """The outcome for people and programs."""
        refresh = self.refresh
        return {
            "name": str(self.planned.name),
            "action": self.planned.step.value,
            "outcome": self.outcome,
            "rows_inserted": refresh.rows_inserted if refresh else None,
            "rows_deleted": refresh.rows_deleted if refresh else None,
            "seconds": round(refresh.seconds, 3) if refresh else None,
            "error": str(self.error) if self.error else None,
        }


def apply_plan(plan: ProjectPlan, verbs: Verbs) -> Iterator[Applied]:
    """Take the steps of a plan in order; what reads a table that failed is skipped, the rest goes on."""
    require_sound(plan)
    return _applied(plan, verbs)


def require_sound(plan: ProjectPlan) -> None:
    """Refuse a plan of which a step is refused, as a whole."""
    if plan.refused:
        reasons = " ".join(str(step.error) for step in plan.refused)
        raise InvalidProject(f"Nothing was applied: {reasons}".rstrip("."))


def _applied(plan: ProjectPlan, verbs: Verbs) -> Iterator[Applied]:
    lost: set[str] = set()
    for planned in plan.to_do:
        if planned.reads & lost:
            lost.add(planned.name.key)
            yield Applied(planned, "skipped")
            continue
        try:
            refresh = _take(planned, verbs)
        except Exception as error:  # noqa: BLE001  whatever it is, the rest of the project goes on
            lost.add(planned.name.key)
            yield Applied(planned, "failed", error=error)
        else:
            yield Applied(planned, "done", refresh)


def _take(planned: Planned, verbs: Verbs) -> Refresh | None:
    name, file = planned.name.quoted, planned.declared
    if planned.step is Step.DROP:
        verbs.drop_stream_table(name)
        return None
    assert file is not None
    mode = file.refresh_mode.value
    if planned.step is Step.CREATE:
        return verbs.create_stream_table(name, file.query, file.schedule, mode, file.checks)
    if planned.is_new_query:
        return verbs.alter_stream_table(
            name,
            query=file.query,
            schedule=file.schedule,
            refresh_mode=mode,
            expect=file.checks,
        )
    if planned.is_new_setting:
        verbs.alter_stream_table(name, schedule=file.schedule, refresh_mode=mode)
    return None if planned.step is Step.SETTINGS else verbs.refresh(name)
