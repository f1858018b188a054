"""An explanation of a stream table's refresh, as text, as a picture, and in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan.mermaid import flowchart

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class ExplainedOperator:
    """One operator of the query: what it is, by which rule its change follows, which sources reach it."""

    depth: int
    operator: str
    kind: str | None
    cost: str | None
    key: tuple[str, ...] | None
    sources: tuple[str, ...]


@dataclass(frozen=True)
class ExplainedStep:
    """One step: what it computes, as a tree and as SQL."""

    name: str
    note: str
    tree: str
    sql: str


@dataclass(frozen=True)
class LastRefresh:
    """What the newest refresh that wrote did."""

    action: str
    reason: str
    detail: str | None
    started_at: datetime
    seconds: float
    source_rows_changed: int | None
    rows_inserted: int
    rows_deleted: int


@dataclass(frozen=True)
class Cost:
    """Seconds of one way to refresh: the median of so many past refreshes, and the newest estimate."""

    action: str
    median: float | None
    count: int
    estimate: float | None

    def __str__(self) -> str:
        parts = []
        if self.median is not None:
            parts.append(f"{self.median:.2f} s (median of {self.count})")
        if self.estimate is not None:
            parts.append(f"estimated {self.estimate:.2f} s")
        return f"{self.action} {', '.join(parts) or 'not measured yet'}"


@dataclass(frozen=True)
class Explanation:
    """How a stream table is refreshed when all its sources change."""

    name: str
    action: str
    reason: str
    detail: str | None
    why_full: str
    key: tuple[str, ...] | None
    state: str | None
    operators: tuple[ExplainedOperator, ...]
    steps: tuple[ExplainedStep, ...]
    last: LastRefresh | None
    costs: tuple[Cost, ...]
    checks: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.name}: {self.action} ({self.reason})"
        parts = [f"{head}: {self.detail}" if self.detail else head]
        if self.operators:
            parts.append("no key: a bag" if self.key is None else f"key ({', '.join(self.key)})")
        if self.state:
            parts.append(f"state: {self.state}")
        parts += [f"check: {check}" for check in self.checks]
        if self.last:
            parts.append(_last(self.last))
        parts.append("costs: " + "; ".join(map(str, self.costs)))
        if self.plan:
            parts += ["", "query", _indented(self.plan)]
        for step in self.steps:
            head = f"{step.name}: {step.note}"
            parts += ["", head, _indented(step.tree), _indented(step.sql)]
        return "\n".join(parts)

    @property
    def plan(self) -> str | None:
        """The query's operators, one a line, inputs indented below; None where they have no rules."""
        return "\n".join(map(_line, self.operators)) or None

    def mermaid(self) -> str:
        """The query's operators as a Mermaid flowchart, sources at the bottom."""
        names = [f"n{number}" for number in range(len(self.operators))]
        boxes = {"table": f"{self.name}\n{self.action} ({self.reason})"}
        for name, one in zip(names, self.operators, strict=True):
            boxes[name] = "\n".join(filter(None, (one.operator, one.kind)))
        above: list[str] = []
        arrows = []
        for name, one in zip(names, self.operators, strict=True):
            arrows.append((name, above[one.depth - 1] if one.depth else "table"))
            above[one.depth :] = [name]
        return flowchart(boxes, arrows)


def _last(last: LastRefresh) -> str:
    when = last.started_at.isoformat(" ", "seconds")
    changed = last.source_rows_changed
    read = "" if changed is None else f"{changed:,} rows of the sources changed, "
    return (
        f"last refresh: {last.action} ({last.reason}) at {when}: {read}"
        f"+{last.rows_inserted} -{last.rows_deleted} rows in {last.seconds:.2f} s"
    )


def _line(one: ExplainedOperator) -> str:
    key = "" if one.key is None else f" · key ({', '.join(one.key)})"
    touched = f" · reached by {', '.join(one.sources)}" if one.sources else ""
    note = f"    ← {one.kind}{key}{touched}" if one.kind else ""
    return f"{'  ' * one.depth}{one.operator}{note}"


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
