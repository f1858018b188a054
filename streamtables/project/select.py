"""Which tables of a plan to take: `+shop.daily+ tag:finance path:tables/shop`.

Terms are united. `+` before a term adds what its tables read, after it what reads them; `*` stands for any letters.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from streamtables.errors import InvalidProject, StreamTablesError
from streamtables.model import TableName
from streamtables.project.steps import ProjectPlan, Step
from streamtables.refresh.graph import reachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.project.steps import Planned

_TERM = re.compile(r"(?P<up>\+?)(?:(?P<kind>tag|path):)?(?P<what>[^+]+)(?P<down>\+?)")


def select(plan: ProjectPlan, terms: str) -> ProjectPlan:
    """The steps of a plan that a selection names; one that needs a table which is not taken is refused."""
    by_key = {step.name.key: step for step in plan.steps}
    taken: set[str] = set()
    for term in terms.split():
        taken |= _of_term(plan.steps, term)
    steps = [_complete(step, by_key, taken) for step in plan.steps if step.name.key in taken]
    return ProjectPlan(tuple(steps))


def _of_term(steps: Sequence[Planned], term: str) -> set[str]:
    found = _TERM.fullmatch(term)
    if found is None:
        raise InvalidProject(
            f"{term!r} selects nothing", hint="Write a name, tag:x or path:x, with + on its sides."
        )
    keys = {step.name.key for step in steps if _fits(step, found["kind"], found["what"])}
    if not keys:
        names = [str(step.name) for step in steps]
        near = difflib.get_close_matches(found["what"], names, 1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names) or 'none'}."
        raise InvalidProject(f"{term!r} selects no table of the project", hint=hint)
    reads = {step.name.key: set(step.reads) for step in steps}
    readers = {key: {other for other in reads if key in reads[other]} for key in reads}
    above = reachable(keys, reads) if found["up"] else set()
    below = reachable(keys, readers) if found["down"] else set()
    return keys | above | below


def _fits(step: Planned, kind: str | None, what: str) -> bool:
    declared = step.declared
    if kind == "tag":
        return declared is not None and what in declared.tags
    if kind == "path":
        return declared is not None and declared.path.startswith(what)
    if "*" in what:
        return fnmatchcase(str(step.name).lower(), what.lower())
    return step.name.key == TableName.parse(what).with_schema.key


def _complete(step: Planned, by_key: dict[str, Planned], taken: set[str]) -> Planned:
    lacking = [by_key[key] for key in sorted(step.reads - taken) if by_key[key].step is Step.CREATE]
    if step.step is Step.NOTHING or not lacking:
        return step
    error = StreamTablesError(
        f"{step.name} reads {lacking[0].name}, which is not there yet",
        hint=f"Select +{step.name}.",
    )
    return replace(step, error=error)
