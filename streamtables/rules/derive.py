"""Plan to Delta: look up the rule of each operator, recurse, collect the steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta, Stage
from streamtables.plan.keys import linear_above, shown_groups, unique_key
from streamtables.plan.walk import children, sources
from streamtables.plan.weighted import added, consolidated, over, subtracted, weighted
from streamtables.rules import RULES, SUBTRACTED

if TYPE_CHECKING:
    from collections.abc import Sequence


class Derive:
    """What rules ask for: the change of an input, its old state, a materialised step."""

    def __init__(self, touched: frozenset[str]) -> None:
        self._touched = touched
        self._deltas: dict[int, tuple[n.Node, n.Node]] = {}
        self._leaves: dict[int, tuple[n.Node, n.Node]] = {}
        self.stages: list[Stage] = []

    def is_touched(self, node: n.Node) -> bool:
        """Whether some source of the node changed; if not, its change is empty and its old state is its new one."""
        return bool(sources(node) & self._touched)

    def children(self, node: n.Node) -> tuple[n.Node, ...]:
        """The inputs of an operator."""
        return children(node)

    def delta(self, node: n.Node) -> n.Node | None:
        """The change of a node as a weighted relation with the node's columns; None where nothing changed."""
        if not self.is_touched(node):
            return None
        if id(node) not in self._deltas:
            self._deltas[id(node)] = node, RULES[type(node)](node, self)
        return self._deltas[id(node)][1]

    def known_delta(self, node: n.Node) -> n.Node:
        """The change of a node of which it is known that it has one."""
        change = self.delta(node)
        assert change is not None, "an operator is derived only where an input changed"
        return change

    def leaf(self, node: n.Node) -> n.Node | None:
        """The change of a node, cheap to read more than once: materialised unless it is a plain look at a leaf."""
        change = self.delta(node)
        if change is None or _is_cheap(change):
            return change
        if id(node) not in self._leaves:
            step = self.stage(consolidated(change), f"change of {type(node).__name__}")
            self._leaves[id(node)] = node, step
        return self._leaves[id(node)][1]

    def old(self, node: n.Node) -> n.Node:
        """The node before the change: rebuilt from old inputs where that is linear, else `new − Δ`."""
        if not self.is_touched(node):
            return node
        if isinstance(node, SUBTRACTED):
            change = self.leaf(node)
            assert change is not None
            return subtracted(node, change)
        return over(node, [self.old(child) for child in children(node)])

    def touched_keys(self, change: n.Node, keys: Sequence[str]) -> n.Step:
        """The different values of the keys in a change, materialised."""
        return self.stage(n.Aggregate(change, tuple(keys), ()), "touched keys")

    def stage(self, plan: n.Node, note: str) -> n.Step:
        """A new materialised step."""
        step = n.Step(f"step_{len(self.stages) + 1}", plan.columns)
        self.stages.append(Stage(step, plan, note))
        return step


def derive(plan: n.Node, touched: frozenset[str], fields: Sequence[str]) -> Delta | None:
    """The change of a query's answer when some of its sources changed; None where it cannot have changed.

    `fields` are the stream table's own column names, in the order of the plan's columns.
    """
    rules = Derive(touched)
    if not rules.is_touched(plan):
        return None
    if compared := _compared_with_stored(plan, rules, fields):
        return compared
    changes = consolidated(rules.known_delta(plan))
    return Delta(tuple(rules.stages), changes, unique_key(plan), is_compared=False)


def _compared_with_stored(plan: n.Node, rules: Derive, fields: Sequence[str]) -> Delta | None:
    """`op(new ↾ K) − stored ↾ K` where the answer shows the keys of the topmost aggregate or window, or is a recursion.

    The old rows are then what the table holds: they need not be computed, and are right again should they have been
    wrong.
    """
    above, core = linear_above(plan)
    shown = shown_groups(plan)
    if shown is None and not isinstance(core, n.Fixpoint):
        return None
    names = shown[1] if shown else {}
    keys = core.keys if isinstance(core, (n.Aggregate, n.Window)) else ()
    stored: n.Node = n.Stored(tuple(fields), plan.columns)
    answer: n.Node = core
    if keys and isinstance(core, (n.Aggregate, n.Window)):
        change = rules.leaf(core.child)
        assert change is not None
        touched = rules.touched_keys(change, keys)
        answer = replace(core, child=n.Restrict(core.child, touched, keys))
        near = n.Restrict(stored, touched, tuple(names[key] for key in keys))
        stored = rules.stage(near, "stored rows of the touched keys")
    for op in reversed(above):
        answer = over(op, [answer])
    both = [weighted(answer), weighted(stored, sign=-1)]
    changes = consolidated(added(both, plan.columns))
    key = tuple(names[name] for name in keys) if isinstance(core, n.Aggregate) else None
    return Delta(tuple(rules.stages), changes, key, is_compared=True)


def _is_cheap(change: n.Node) -> bool:
    """Whether a change only looks at something materialised."""
    while isinstance(change, (n.Filter, n.Project)):
        change = change.child
    return isinstance(change, (n.Changed, n.Step))
