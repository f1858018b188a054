"""What altering a stream table would do to it and to those that read it, told before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.errors import Place
from streamtables.project.files import Declared
from streamtables.project.plan import plan_project
from streamtables.project.steps import Step
from streamtables.refresh.graph import downstream

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from streamtables.model import StreamTable
    from streamtables.project.steps import Planned
    from streamtables.refresh.engine import Engine


def preview(
    altered: StreamTable, tables: Sequence[StreamTable], filled: Collection[str], engine: Engine
) -> list[dict[str, object]]:
    """A row for an altered definition, and one for each table below it that this moves or breaks."""
    key = altered.name.key
    declared = [_declared(altered if table.name.key == key else table) for table in tables]
    plan = plan_project(declared, tables, filled, lambda: engine)
    below = {table.name.key for table in downstream(altered, tables)}
    return [
        _row(step, is_below=step.name.key != key)
        for step in plan.steps
        if step.name.key == key
        or (step.name.key in below and (step.error or step.step is not Step.NOTHING))
    ]


def _declared(table: StreamTable) -> Declared:
    """A definition as if a file declared it."""
    reads = tuple(source.name for source in table.sources)
    return Declared(
        name=table.name,
        query=table.query,
        schedule=table.schedule,
        refresh_mode=table.refresh_mode,
        tags=(),
        path="",
        begin=Place(1, 1),
        reads=reads,
        checks=table.checks,
    )


def _row(step: Planned, *, is_below: bool) -> dict[str, object]:
    row = {name: step.row[name] for name in ("name", "change", "action", "why")}
    if is_below and step.error:
        row["action"] = "fails"  # the alter itself goes through
    return row
