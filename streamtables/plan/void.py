"""Columns of nothing but NULLs that are written out: Spark gives them no type (`void`).

Two of them are never equal to Spark's joins, not even by `<=>`: a join asks of such a column whether the other is NULL.
"""

from __future__ import annotations

from streamtables.plan import nodes as n
from streamtables.plan.walk import children

_BY_POSITION = (n.UnionAll, n.Union, n.Intersect, n.Except)


def is_void(node: n.Node, name: str) -> bool:
    """Whether a column has no type."""
    if isinstance(node, (n.Project, n.Aggregate, n.Window)):
        for part in node.items:
            if part.name == name:
                below = part.expr.column
                return part.expr.is_null or (below is not None and is_void(node.child, below))
    if isinstance(node, _BY_POSITION):
        place = node.columns.index(name)
        return all(is_void(child, child.columns[place]) for child in children(node))
    return any(is_void(child, name) for child in children(node) if name in child.columns)
