"""A mark in terms of joins: EXISTS in a SELECT list is planned badly by Spark, and not at all in some places.

With equalities alone between the sides, the rows are joined with the different keys; else those that meet a row are
put beside those that meet none.
"""

from __future__ import annotations

from dataclasses import replace

from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, all_of, always, col, is_present, item, never

_MET = "_met"


def as_joins(node: n.Match) -> n.Node:
    """The same rows and the same mark without a mark join."""
    theirs = set(node.right.columns)
    between = [on for on in node.on if on.columns & theirs and not on.columns <= theirs]
    own = [on for on in node.on if not on.columns & theirs]
    if not all(on.equality() for on in between):
        parts = (("semi", always()), ("anti", never()))
        marked = [
            n.Project(
                replace(node, kind=kind, mark=""),
                (*map(item, node.left.columns), Item(node.mark, value)),
            )
            for kind, value in parts
        ]
        return n.UnionAll(tuple(marked))
    condition = all_of(on for on in node.on if on.columns and on.columns <= theirs)
    right = n.Filter(node.right, condition) if condition else node.right
    met = {name for on in between for name in on.equality() or () if name in theirs}
    keys = n.Aggregate(right, tuple(sorted(met)), ()) if met else _any_row(right)
    flagged = n.Project(keys, (*map(item, sorted(met)), Item(_MET, always())))
    joined = n.Match(node.left, flagged, (*between, *own), "left")
    mark = Item(node.mark, is_present(col(_MET)))
    return n.Project(joined, (*map(item, node.left.columns), mark))


def _any_row(node: n.Node) -> n.Node:
    """One row if there is any."""
    one = n.Project(node, (Item("_one", always()),))
    return n.Distinct(one)
