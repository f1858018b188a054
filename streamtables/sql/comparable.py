"""Queries that would have to compare what Spark has no equality for: maps, variants, and NULL without a type.

A change is counted per row, so each value that travels in one is compared. Spark groups by maps, but has no `<=>` for
them; variants it does neither. Groups that the answer shows are compared by their keys, and may show a map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.keys import shown_groups
from streamtables.plan.walk import children, every
from streamtables.sql.refuse import without_rule
from streamtables.sql.typed import maps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from streamtables.errors import UnsupportedQuery
    from streamtables.model import Column

_VARIANT, _MAP, _VOID = "variant", "map<", "void"


def incomparable(
    tree: exp.Expr, plan: n.Node, columns: Mapping[str, Sequence[Column]]
) -> UnsupportedQuery | None:
    """Why a change of the query's sources, or a step on the way, cannot be counted."""
    traced = maps(columns)
    for node in every(plan):
        if isinstance(node, n.Scan):
            types = {column.name: column.type.lower() for column in columns[node.source]}
            found = {name for name in node.fields if _VARIANT in types[name]}
        else:
            below = frozenset[str]().union(*map(traced.of, children(node)))
            found = _compared(node) & below
        if found:
            return without_rule("INCOMPARABLE", tree, min(found))
    return None


def incomparable_answer(
    tree: exp.Expr, plan: n.Node, columns: Sequence[Column]
) -> UnsupportedQuery | None:
    """Why rows of an answer cannot be found again among those that are stored."""
    is_keyed = shown_groups(plan) is not None
    for column in columns:
        kind = column.type.lower()
        if kind == _VOID or _VARIANT in kind or (_MAP in kind and not is_keyed):
            return without_rule("INCOMPARABLE", tree, column.name)
    return None


def _compared(node: n.Node) -> set[str]:
    """The columns of its inputs that an operator's rule compares."""
    if isinstance(node, (n.Aggregate, n.Window)):
        return set(node.keys)
    if isinstance(node, n.Match):
        return set().union(*(condition.columns for condition in node.on))
    if isinstance(node, (n.Distinct, n.Union, n.Intersect, n.Except, n.Fixpoint)):
        return {name for child in children(node) for name in child.columns}
    return set()
