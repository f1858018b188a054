"""The change of a stream table's answer: derived from the changes of its sources, or by recomputing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamtables.checks import require_passed
from streamtables.model import Action
from streamtables.rules.derive import derive
from streamtables.rules.stateful import derive_with_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import StreamTable
    from streamtables.plan.delta import Delta
    from streamtables.refresh.choose import Decision
    from streamtables.refresh.engine import Changes, Work
    from streamtables.sql.compile import Compiled


def change_of(
    table: StreamTable, compiled: Compiled, work: Work[Any], decision: Decision
) -> Changes:
    """The change as the decision says, computed, and let through by the table's checks."""
    change: Changes = (
        work.derive(delta_of(table, compiled, work))
        if decision.action is Action.INCREMENTAL
        else work.recompute()
    )
    require_passed(table.name, work.tallies())
    return change


def follow(table: StreamTable, compiled: Compiled, work: Work[Any], decision: Decision) -> bool:
    """Whether what is kept beside a table comes along with a refresh; with one that recomputes only as a probe, too."""
    if compiled.kept is None or decision.action is Action.INCREMENTAL:
        return compiled.kept is not None
    if not decision.is_probe or work.state_types() is None:
        return False
    work.follow(delta_of(table, compiled, work))
    return True


def delta_of(table: StreamTable, compiled: Compiled, work: Work[Any]) -> Delta:
    """How the change of the answer follows from the changes of the sources that this refresh found."""
    delta = delta_when(table, compiled, frozenset(work.changed_rows()), work.state_types())
    assert delta is not None, "a source that changed is a source that the plan reads"
    return delta


def delta_when(
    table: StreamTable,
    compiled: Compiled,
    touched: frozenset[str],
    types: Mapping[str, str] | None,
) -> Delta | None:
    """How the answer's change follows when these sources change: by what is kept, of these `types`, if it stands."""
    assert compiled.plan is not None
    fields = [column.name for column in table.columns]
    if types is None:
        return derive(compiled.plan, touched, fields, is_whole=compiled.is_whole)
    return derive_with_state(compiled.plan, touched, fields, compiled.algebra, types)
