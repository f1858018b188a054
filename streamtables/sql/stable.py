"""Plans whose answer the rows alone decide: what depends on the order of rows gets a form that does not.

Sums of floats, lists, ties: two runs over the same rows may give another value. Where each row of the answer is one
group of such an aggregate, it is compared with what is stored, so that does no harm, and the aggregate stays as it is
written. Elsewhere a rule takes away an old row as it computes it anew, which has to be the row that is there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, item
from streamtables.plan.keys import shown_groups
from streamtables.plan.walk import children, with_children
from streamtables.sql import functions
from streamtables.sql.aggregates import bare
from streamtables.sql.fed_in_order import fed_in_order
from streamtables.sql.forms import FORMS, settled_form
from streamtables.sql.peers import with_peers
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
        if isinstance(node, n.Window):
            return self._window(node)
        if isinstance(node, n.Aggregate):
            return self._aggregate(node)
        below = tuple(map(self.of, children(node)))
        return with_children(node, below) if below else node

    def _aggregate(self, node: n.Aggregate) -> n.Node:
        child, items = self.of(node.child), []
        for found in node.items:
            made, child = self._call(node, found, child)
            items.append(made)
        return replace(node, child=child, items=tuple(items))

    def _call(self, node: n.Aggregate, found: Item, child: n.Node) -> tuple[Item, n.Node]:
        """An aggregate in a stable form, and what it is computed over."""
        unstable = self._unstable_in(found.expr, self._floats.of(node.child))
        if node is self._shown:
            unstable = [name for name in unstable if name in functions.ORDER_DEPENDENT]
        if not unstable:
            return found, child
        without_order = self._unordered.of(node.child)
        if all(name in functions.FED_IN_ORDER for name in unstable):
            fed = fed_in_order(node, found, child, without_order)
            if fed is not None:
                return fed
        form = settled_form(
            found.expr, [name for name in node.child.columns if name not in without_order]
        )
        if form is None or not FORMS.keys() >= set(unstable):
            reason = "UNSTABLE_AGGREGATE"
            if unstable[0] in functions.ORDER_DEPENDENT:
                reason = "ORDER_DEPENDENT"
            raise without_rule(reason, self._tree, f"{unstable[0]}()")
        return Item(found.name, form), child

    def _window(self, node: n.Window) -> n.Node:
        """Each call in a stable form; those for which one call does not do are put below the others."""
        unordered_columns = self._unordered.of(node.child)
        columns = [name for name in node.child.columns if name not in unordered_columns]
        child, items = self.of(node.child), []
        for found in node.items:
            made = untied(found.expr, columns, self._floats.of(node.child))
            if made is not None:
                items.append(Item(found.name, made))
                continue
            below = with_peers(replace(node, child=child, items=()), found, columns)
            if below is None:
                name = next(calls(bare(found.expr.tree.this)))[0]
                raise without_rule("ORDER_DEPENDENT", self._tree, name)
            child = below
        plan = n.Window(child, node.keys, tuple(items)) if items else child
        is_same = plan.columns == node.columns
        return plan if is_same else n.Project(plan, tuple(map(item, node.columns)))

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
