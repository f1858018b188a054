"""What the next refresh of a stream table would do: the steps that `run` walks, shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan.show import show
from streamtables.refresh.choose import choose
from streamtables.rules.derive import derive
from streamtables.sql.compile import compile_table
from streamtables.sql.render import Render

if TYPE_CHECKING:
    from streamtables.model import StreamTable


@dataclass(frozen=True)
class ExplainedStep:
    """One step: what it computes, as a tree and as SQL."""

    name: str
    note: str
    tree: str
    sql: str


@dataclass(frozen=True)
class Explanation:
    """How a stream table is refreshed when all its sources change."""

    name: str
    action: str
    reason: str
    detail: str | None
    plan: str | None
    steps: tuple[ExplainedStep, ...]
    key: tuple[str, ...] | None

    def __str__(self) -> str:
        head = f"{self.name}: {self.action} ({self.reason})" + (
            f": {self.detail}" if self.detail else ""
        )
        if self.plan is None:
            return head
        key = "no key: a bag" if self.key is None else f"key ({', '.join(self.key)})"
        parts = [head, key, "", "query", _indented(self.plan)]
        for step in self.steps:
            parts += ["", f"{step.name}: {step.note}", _indented(step.tree), _indented(step.sql)]
        return "\n".join(parts)


def explain(table: StreamTable) -> Explanation:
    """The plan of a query, and the delta of it when all its sources change."""
    compiled = compile_table(table)
    decision = choose(table.refresh_mode, compiled.refusal)
    action = decision.action.value if decision else "INCREMENTAL"
    reason = decision.reason if decision else "CHANGE_SMALL"
    detail = decision.detail if decision else "unless more than 30 % of the sources' rows change"
    fields = [column.name for column in table.columns]
    touched = frozenset(source.name.key for source in table.sources)
    plan = compiled.plan
    delta = derive(plan, touched, fields) if plan is not None and action != "FULL" else None
    if plan is None or delta is None:
        return Explanation(str(table.name), action, reason, detail, None, (), None)
    render = Render(sorted(touched))
    steps = [
        ExplainedStep(stage.step.name, stage.note, show(stage.plan), render.sql(stage.plan))
        for stage in delta.stages
    ]
    last = ExplainedStep("change", "what to write", show(delta.changes), render.sql(delta.changes))
    key = None
    if delta.key is not None:
        names = dict(zip(plan.columns, fields, strict=True))
        key = tuple(names[column] for column in delta.key)
    return Explanation(str(table.name), action, reason, detail, show(plan), (*steps, last), key)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
