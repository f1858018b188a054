"""What the head of a rule's module says: in words, its kind, its cost."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.rules import RULES

if TYPE_CHECKING:
    from streamtables.plan.nodes import Node


@dataclass(frozen=True, slots=True)
class Head:
    """A rule in words."""

    what: str
    kind: str
    cost: str


def head_of(operator: type[Node]) -> Head | None:
    """The head of an operator's rule; None for an operator that changes never reach.

    >>> from streamtables.plan.nodes import Join
    >>> head_of(Join).kind
    'bilinear'
    """
    rule = RULES.get(operator)
    if rule is None:
        return None
    text = inspect.getdoc(inspect.getmodule(rule)) or ""
    parts = dict(re.findall(r"^(Kind|Cost) +(.+)$", text, re.MULTILINE))
    kind, cost = parts.get("Kind", ""), parts.get("Cost", "")
    what = text.partition("\n")[0].rstrip(".")
    return Head(what, kind.partition(":")[0].rstrip("."), cost.rstrip(".;"))
