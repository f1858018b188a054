"""Scans of which only rows near touched keys matter, read on the driver before Spark sees the plan.

    scan ↾ K, scan near K  →  the rows with those keys, as a step

So it is where the restriction stands over a scan, or over what hands the key on: filters, projections, UNION ALL with
the change of the same source. Spark would decode every row of the files that may hold a key, in each query anew; and
where keys are literals no more, the query is the same text each time, whose generated code is known already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.walk import children, with_children

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    Values = Callable[[n.Changed | n.Step, str], pa.ChunkedArray | None]
    Rows = Callable[[n.Scan, str, pa.ChunkedArray], n.Step | None]


def narrowed(plan: n.Node, values: Values, rows: Rows) -> n.Node:
    """A plan without the scans that `rows` can read by the `values` of a key."""
    if isinstance(plan, (n.Restrict, n.Narrow)):
        for column, wanted in _known(plan, values):
            if read := _read(plan.child, column, wanted, rows):
                child, is_exact = read
                is_done = isinstance(plan, n.Narrow) or (is_exact and len(plan.on) == 1)
                return child if is_done else replace(plan, child=child)
    below = children(plan)
    made = tuple(narrowed(child, values, rows) for child in below)
    return plan if made == below else with_children(plan, made)


def _known(node: n.Restrict | n.Narrow, values: Values) -> list[tuple[str, pa.ChunkedArray]]:
    """Columns of the input with the values that are wanted of them, those of which most are different first."""
    pairs = (
        [(node.column, node.key)]
        if isinstance(node, n.Narrow)
        else zip(node.on, node.keys.columns, strict=True)
    )
    found = [(column, values(node.keys, key)) for column, key in pairs]
    known = [(column, wanted) for column, wanted in found if wanted is not None]
    return sorted(known, key=lambda pair: -len(pair[1].unique()))


def _read(
    node: n.Node, column: str, values: pa.ChunkedArray, rows: Rows
) -> tuple[n.Node, bool] | None:
    """The node over read rows, and whether it has no others; None where no scan can be read."""
    if isinstance(node, n.Scan):
        step = rows(node, column, values)
        return (step, True) if step is not None else None
    if isinstance(node, n.UnionAll):
        place = node.columns.index(column)
        found = [_read(child, child.columns[place], values, rows) for child in node.inputs]
        if not any(found):
            return None
        pairs = [one or (child, False) for one, child in zip(found, node.inputs, strict=True)]
        made = tuple(child for child, _ in pairs)
        return with_children(node, made), all(is_exact for _, is_exact in pairs)
    if not isinstance(node, (n.Filter, n.Project)):
        return None
    if isinstance(node, n.Project):
        items = {part.name: part.expr.column for part in node.items}
        column = items[column] or ""
    below = _read(node.child, column, values, rows) if column else None
    return (replace(node, child=below[0]), below[1]) if below else None
