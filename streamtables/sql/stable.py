"""Aggregates whose value depends on the order in which rows are met: sums of floats, lists, ties.

Two runs over the same rows may give them another value. Where each row of the answer is one of their groups, they are
compared with what is stored, so that does no harm. Elsewhere the rule takes away the old row as it computes it anew,
which need not be the row that the table holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.keys import shown_groups
from streamtables.plan.walk import children, find
from streamtables.sql import functions
from streamtables.sql.refuse import calls, without_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.model import Column

_FLOAT = ("double", "float", "real")


def refuse_unstable(tree: exp.Expr, plan: n.Node, columns: Mapping[str, Sequence[Column]]) -> None:
    """Raise for an aggregate that is not stable and whose old value a rule would have to compute anew."""
    shown = shown_groups(plan)
    floats = Floats(columns)
    for node in find(plan, n.Aggregate):
        if shown is None or node is not shown[0]:
            below = floats.of(node.child)
            for item in node.items:
                for name, call in calls(item.expr.tree):
                    if name in functions.AGGREGATES and not _is_stable(name, call, below):
                        raise without_rule("UNSTABLE_AGGREGATE", tree, f"{name}()")


def _is_stable(name: str, call: exp.Expr, floats: frozenset[str]) -> bool:
    if name in functions.SUMS:
        return not any(_is_float(part, floats) for part in call.iter_expressions())
    return name in functions.STABLE


class Floats:
    """Tells which columns of a node may hold floats."""

    def __init__(self, columns: Mapping[str, Sequence[Column]]) -> None:
        self._columns = columns

    def of(self, node: n.Node) -> frozenset[str]:
        """The names of those columns."""
        if isinstance(node, n.Scan):
            types = {column.name: column.type.lower() for column in self._columns[node.source]}
            pairs = zip(node.fields, node.names, strict=True)
            return frozenset(
                name for field, name in pairs if any(w in types[field] for w in _FLOAT)
            )
        below = frozenset[str]().union(*(self.of(child) for child in children(node)))
        if isinstance(node, (n.Project, n.Aggregate)):
            computed = {item.name for item in node.items if _is_float(item.expr.tree, below)}
            return below & set(node.columns) | computed
        return below | self._by_position(node)

    def _by_position(self, node: n.Node) -> frozenset[str]:
        """The columns that hold floats because the column of another input does, at the same place."""
        if not isinstance(node, (n.UnionAll, n.Union, n.Intersect, n.Except)):
            return frozenset()
        found = [(child.columns, self.of(child)) for child in children(node)]
        places = {i for names, floats in found for i, name in enumerate(names) if name in floats}
        return frozenset(node.columns[i] for i in places)


def _is_float(tree: exp.Expr, floats: frozenset[str]) -> bool:
    """Whether an expression over such columns may be a float: rather too often than too seldom."""
    if isinstance(tree, exp.Column):
        return tree.name in floats
    if isinstance(tree, exp.Cast):
        return tree.to.sql(dialect="spark").lower() in _FLOAT
    if isinstance(tree, exp.Literal):
        return not tree.is_string and ("e" in tree.name.lower() or "d" in tree.name.lower())
    if isinstance(tree, (exp.Predicate, exp.Connector, exp.Not, exp.Count)):
        return False
    if isinstance(tree, exp.Div):
        return True
    if isinstance(tree, exp.Func) and next(calls(tree))[0] in functions.FLOATS:
        return True
    return any(_is_float(part, floats) for part in tree.iter_expressions())
