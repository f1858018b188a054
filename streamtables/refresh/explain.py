"""What the next refresh of a stream table would do: the steps that `run` walks, shown."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from streamtables.model import Action, TableName
from streamtables.plan.keys import unique_key
from streamtables.plan.show import show
from streamtables.plan.tally import is_counting
from streamtables.plan.top import kept_core
from streamtables.plan.walk import children, sources
from streamtables.refresh.change import delta_when
from streamtables.refresh.choose import REASONS, Decision, choose
from streamtables.refresh.explained import (
    Cost,
    ExplainedOperator,
    ExplainedStep,
    Explanation,
    LastRefresh,
)
from streamtables.rules.heads import head_of
from streamtables.sql.compile import compile_table
from streamtables.sql.render import Render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamtables.model import Refresh, StreamTable
    from streamtables.plan.nodes import Node
    from streamtables.sql.compile import Compiled

_USUAL = Decision(
    Action.INCREMENTAL, "CHANGE_SMALL", "unless recomputing is estimated to be cheaper"
)
_RECOMPUTED = (Action.FULL, Action.REINITIALIZE)


def explain(
    table: StreamTable,
    history: Sequence[Refresh] = (),
    kept: Mapping[str, str] | None = None,
) -> Explanation:
    """The plan of a query, the delta of it when all its sources change, and what its history (newest first) tells.

    `kept` has the types of what is kept beside the table, if a refresh would start from it.
    """
    compiled = compile_table(table)
    decision = choose(table.refresh_mode, compiled.refusal) or _USUAL
    is_usual = decision.action is _USUAL.action
    key, steps = _steps(table, compiled, kept) if is_usual else (None, ())
    operators = tuple(_operators(compiled.plan)) if steps and compiled.plan is not None else ()
    return Explanation(
        name=str(table.name),
        action=decision.action.value,
        reason=decision.reason,
        detail=decision.detail,
        why_full=_why_full(table, compiled, history),
        key=key,
        state=_state(compiled, kept) if operators else None,
        operators=operators,
        steps=steps,
        last=_last(history),
        costs=tuple(_costs(history)),
        checks=tuple(map(str, table.checks)),
    )


def _steps(
    table: StreamTable, compiled: Compiled, kept: Mapping[str, str] | None
) -> tuple[tuple[str, ...] | None, tuple[ExplainedStep, ...]]:
    """The key of the answer, and the steps to its change."""
    plan = compiled.plan
    touched = frozenset(source.name.key for source in table.sources)
    delta = delta_when(table, compiled, touched, kept) if plan is not None else None
    if plan is None or delta is None:
        return None, ()
    render = Render(sorted(touched))
    stages = [part for stage in delta.stages for part in stage.shown()]
    if delta.state is not None:
        stages.append(("state", "the change of what is kept", delta.state))
    steps = tuple(
        ExplainedStep(name, note, show(node), render.sql(node))
        for name, note, node in [*stages, ("change", "what to write", delta.changes)]
    )
    names = dict(zip(plan.columns, (column.name for column in table.columns), strict=True))
    return (None if delta.key is None else tuple(names[column] for column in delta.key)), steps


def _operators(node: Node, depth: int = 0) -> Iterator[ExplainedOperator]:
    head = head_of(type(node))
    yield ExplainedOperator(
        depth=depth,
        operator=show(node).splitlines()[0],
        kind=head.kind if head else None,
        cost=head.cost if head else None,
        key=unique_key(node),
        sources=tuple(str(TableName.parse(key)) for key in sorted(sources(node)) if "`" in key),
    )
    for child in children(node):
        yield from _operators(child, depth + 1)


def _state(compiled: Compiled, types: Mapping[str, str] | None) -> str | None:
    """What is kept beside the table, or would be."""
    kept = compiled.kept
    if kept is None or compiled.plan is None:
        return None
    if is_counting(kept_core(compiled.plan)):
        columns = [*kept.keys, *(f"copies in branch {i}" for i in range(1, len(kept.items) + 1))]
    else:
        columns = [*kept.keys, *(str(item.expr) for item in kept.items)]
    when = "once the sources are large" if types is None else "the next refresh starts from it"
    return f"({', '.join(columns)}), {when}"


def _last(history: Sequence[Refresh]) -> LastRefresh | None:
    done = next((past for past in history if past.version is not None), None)
    if done is None:
        return None
    changed = done.measures.get("source_rows_changed")
    return LastRefresh(
        done.action.value,
        done.reason,
        done.detail,
        done.started_at,
        done.seconds,
        None if changed is None else int(changed),
        done.rows_inserted,
        done.rows_deleted,
    )


def _costs(history: Sequence[Refresh]) -> Iterator[Cost]:
    """Both ways: what they took, and what they were last estimated to take."""
    ways = (("incremental", (Action.INCREMENTAL,)), ("full", _RECOMPUTED))
    for name, actions in ways:
        seconds = [past.seconds for past in history if past.action in actions]
        key = f"estimate_{name}"
        estimates = (past.measures[key] for past in history if key in past.measures)
        yield Cost(name, median(seconds) if seconds else None, len(seconds), next(estimates, None))


def _why_full(table: StreamTable, compiled: Compiled, history: Sequence[Refresh]) -> str:
    """Why the table was last recomputed, or why it always is, in one sentence."""
    always = choose(table.refresh_mode, compiled.refusal)
    if always is not None and always.action is Action.FULL:
        if compiled.refusal is not None and always.reason == compiled.refusal.reason:
            because = f"{compiled.refusal.reason}: {compiled.refusal}".rstrip(".")
        else:
            because = REASONS[always.reason]
        return f"Every refresh recomputes {table.name}, because {because}."
    done = next((past for past in history if past.action in _RECOMPUTED), None)
    if done is None:
        return f"No refresh on record recomputed {table.name}."
    when = done.started_at.isoformat(" ", "seconds")
    words = REASONS.get(done.reason, done.reason)
    detail = f" ({done.detail})" if done.detail else ""
    return f"{table.name} was last recomputed at {when}, because {words}{detail}."
