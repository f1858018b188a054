"""Plans whose answer the rows alone decide: what depends on the order of rows gets a form that does not.

Sums of floats, lists, ties: two runs over the same rows may give another value. Where each row of the answer is one
group of such an aggregate, it is compared with what is stored, so that does no harm, and the aggregate stays as it is
written. Elsewhere a rule takes away an old row as it computes it anew, which has to be the row that is there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item
from streamtables.plan.keys import shown_groups
from streamtables.plan.walk import children, with_children
from streamtables.sql import functions
from streamtables.sql.forms import settled_form
from streamtables.sql.refuse import calls, without_rule
from streamtables.sql.ties import untied
from streamtables.sql.typed import floats, is_float, unordered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from streamtables.model import Column


def made_stable(tree: exp.Expr, plan: n.Node, columns: Mapping[str, Sequence[Column]]) -> n.Node:
    """The plan in stable forms; raises for what has none."""
    return _Stable(tree, plan, columns).of(plan)


class _Stable:
    def __init__(
        self, tree: exp.Expr, plan: n.Node, columns: Mapping[str, Sequence[Column]]
    ) -> None:
        shown = shown_groups(plan)
        self._tree, self._shown = tree, shown[0] if shown else None
        self._floats, self._unordered = floats(columns), unordered(columns)

    def of(self, node: n.Node) -> n.Node:
        made = node
        if isinstance(node, n.Aggregate):
            made = replace(node, items=tuple(self._aggregate(node, item) for item in node.items))
        if isinstance(node, n.Window):
            made = replace(node, items=tuple(self._window(node, item) for item in node.items))
        below = tuple(map(self.of, children(node)))
        return with_children(made, below) if below else made

    def _aggregate(self, node: n.Aggregate, item: Item) -> Item:
        unstable = self._unstable_in(item.expr, self._floats.of(node.child))
        if node is self._shown:
            unstable = [name for name in unstable if name in functions.ORDER_DEPENDENT]
        if not unstable:
            return item
        rows = [name for name in node.child.columns if name not in self._unordered.of(node.child)]
        form = settled_form(item.expr, rows)
        if form is None or any(map(_has_no_form, unstable)):
            reason = "UNSTABLE_AGGREGATE"
            if unstable[0] in functions.ORDER_DEPENDENT:
                reason = "ORDER_DEPENDENT"
            raise without_rule(reason, self._tree, f"{unstable[0]}()")
        return Item(item.name, form)

    def _window(self, node: n.Window, item: Item) -> Item:
        unordered_columns = self._unordered.of(node.child)
        columns = [name for name in node.child.columns if name not in unordered_columns]
        made = untied(item.expr, columns, self._floats.of(node.child))
        if made is not None:
            return Item(item.name, made)
        name = next(calls(item.expr.tree))[0]
        raise without_rule("ORDER_DEPENDENT", self._tree, name)

    def _unstable_in(self, expr: Expr, floats_below: frozenset[str]) -> list[str]:
        return [
            name
            for name, call in calls(expr.tree)
            if name in functions.AGGREGATES and not _is_stable(name, call, floats_below)
        ]


def _is_stable(name: str, call: exp.Expr, floats_below: frozenset[str]) -> bool:
    if name in functions.SUMS:
        return not any(is_float(part, floats_below) for part in call.iter_expressions())
    return name in functions.STABLE


def _has_no_form(name: str) -> bool:
    from streamtables.sql.forms import FORMS

    return name not in FORMS
