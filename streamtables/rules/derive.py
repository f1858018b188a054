"""Plan to Delta: look up the rule of each operator, recurse, collect the steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta, Stage
from streamtables.plan.expr import col, item, same
from streamtables.plan.keys import linear_above, passed_through, shown_groups, unique_key
from streamtables.plan.top import top_of
from streamtables.plan.walk import children, recursions, sources
from streamtables.plan.weighted import (
    added,
    consolidated,
    is_consolidated,
    over,
    subtracted,
    weighted,
)
from streamtables.rules import RULES, STAGED, SUBTRACTED
from streamtables.rules.stored_fixpoint import delta_stored_fixpoint
from streamtables.rules.top import delta_top
from streamtables.rules.wanted import wanted_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.rules.wanted import Part


class Derive:
    """What rules ask for: the change of an input, its old state, a materialised step.

    What is touched are sources, or a recursion by the rows it found last.
    """

    def __init__(self, touched: frozenset[str]) -> None:
        self._touched = touched
        self._wanted: dict[int, dict[str, Part]] = {}
        self._deltas: dict[int, tuple[n.Node, n.Node]] = {}
        self._leaves: dict[int, tuple[n.Node, n.Node]] = {}
        self._rows: dict[int, tuple[n.Node, n.Step]] = {}
        self.stages: list[Stage] = []

    def is_touched(self, node: n.Node) -> bool:
        """Whether some source of the node changed; if not, its change is empty and its old state is its new one."""
        return bool((sources(node) | recursions(node)) & self._touched)

    def children(self, node: n.Node) -> tuple[n.Node, ...]:
        """The inputs of an operator."""
        return children(node)

    def delta(self, node: n.Node) -> n.Node | None:
        """The change of a node as a weighted relation with the node's columns; None where nothing changed."""
        if not self.is_touched(node):
            return None
        if isinstance(node, n.Recur):
            return n.Step(node.name, (*node.names, n.WEIGHT))
        if id(node) not in self._deltas:
            change = RULES[type(node)](node, self)
            # Computed from rows read twice, it is needed again wherever the old state is.
            if isinstance(node, STAGED):
                change = self._materialised(node, change)
            self._deltas[id(node)] = node, change
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
            self._leaves[id(node)] = node, self._materialised(node, change)
        return self._leaves[id(node)][1]

    def old(self, node: n.Node) -> n.Node:
        """The node before the change: rebuilt from old inputs where that is linear, else `new − Δ`."""
        if not self.is_touched(node):
            return node
        if isinstance(node, SUBTRACTED):
            change = self.leaf(node)
            assert change is not None
            return subtracted(self.new(node), change)
        return over(node, [self.old(child) for child in children(node)])

    def new(self, node: n.Node) -> n.Node:
        """The node after the change: the plan itself, or what of it was computed for its change."""
        if isinstance(node, (n.Filter, n.Project)):
            return over(node, [self.new(node.child)])
        return self._rows[id(node)][1] if id(node) in self._rows else node

    def computed(self, node: n.Node, plan: n.Node) -> n.Node:
        """A plan for the touched groups of a node; of all rows in one group, which others may ask for, a step."""
        if not isinstance(node, n.Aggregate) or node.keys:
            return plan
        self._rows[id(node)] = node, self.stage(plan, "the row after the change")
        return self._rows[id(node)][1]

    def read_once(self, node: n.Node, plan: n.Node) -> n.Node:
        """A plan over a node, to be read twice: materialised where it is dear to compute and has few rows."""
        is_dear = isinstance(linear_above(node)[1], STAGED)
        return self.stage(plan, "rows of the touched groups") if is_dear else plan

    def want(self, op: n.Join | n.Match) -> None:
        """Note of the groups among the inputs of a join which of them can matter."""
        for group, key, part in wanted_groups(op):
            if not self.is_touched(part[0]):
                self._wanted.setdefault(id(group), {}).setdefault(key, part)

    def wanted(self, node: n.Node, touched: n.Step) -> n.Step:
        """Of the touched keys of a node those that can matter."""
        for key, (part, column) in self._wanted.get(id(node), {}).items():
            near = n.Project(n.Narrow(part, column, touched, key), (item(column),))
            met = n.Match(touched, near, (same(col(key), col(column)),), "semi")
            touched = self.stage(met, "those of them that a join can meet")
        return touched

    def touched_keys(self, change: n.Node, keys: Sequence[str]) -> n.Step:
        """The different values of the keys in a change, materialised."""
        is_net = _is_net(change) and set(keys) == {*change.columns} - {n.WEIGHT}
        found = (
            n.Project(change, tuple(map(item, keys)))
            if is_net
            else n.Aggregate(change, tuple(keys), ())
        )
        return self.stage(found, "touched keys")

    def _materialised(self, node: n.Node, change: n.Node) -> n.Step:
        whole = change if is_consolidated(change) else consolidated(change)
        return self.stage(whole, f"change of {type(node).__name__}")

    def stage(self, plan: n.Node, note: str) -> n.Step:
        """A new materialised step."""
        step = n.Step(f"step_{len(self.stages) + 1}", plan.columns)
        self.stages.append(Stage(step, plan, note))
        return step


def derive(
    plan: n.Node, touched: frozenset[str], fields: Sequence[str], *, is_whole: bool = True
) -> Delta | None:
    """The change of a query's answer when some of its sources changed; None where it cannot have changed.

    `fields` are the stream table's own column names, in the order of the plan's columns; it `is_whole` if it holds all
    rows of the answer.
    """
    rules = Derive(touched)
    if not rules.is_touched(plan):
        return None
    if is_whole and (top := top_of(plan)):
        return delta_top(top, plan, rules.known_delta(top.rows), rules, fields)
    if is_whole and (found := delta_stored_fixpoint(plan, Derive, touched, fields)):
        return found
    if compared := _compared_with_stored(plan, rules, fields):
        return compared
    above, core = linear_above(plan)
    change = RULES[type(core)](core, rules)
    for op in reversed(above):
        change = over(op, [change])
    return Delta(tuple(rules.stages), consolidated(change), unique_key(plan), is_compared=False)


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


def _is_net(change: n.Node) -> bool:
    """Whether each row of a change is there once: it is a leaf, under whatever names."""
    while isinstance(change, n.Project) and len(passed_through(change)) == len(
        change.child.columns
    ):
        change = change.child
    return isinstance(change, (n.Changed, n.Step))


def _is_cheap(change: n.Node) -> bool:
    """Whether a change only looks at something materialised."""
    while isinstance(change, (n.Filter, n.Project)):
        change = change.child
    return isinstance(change, (n.Changed, n.Step))
