"""Tables of which only rows near touched keys matter, read on the driver before Spark sees the plan.

    scan ↾ K, scan near K  →  the rows with those keys, as a step

So it is where the restriction stands over a scan, or over what hands the key on: filters, projections, groups and
partitions of the key, set operators, joins, UNION ALL with the change of the same source. Spark would decode every row
of the files that may hold a key, in each query anew; and where keys are literals no more, the query is the same text
each time, whose generated code is known already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.keys import tied
from streamtables.plan.origin import origin
from streamtables.plan.walk import children, every, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    Leaf = n.Changed | n.Step
    Table = n.Scan | n.Stored
    Values = Callable[[Leaf, str], pa.ChunkedArray | None]
    Wanted = tuple[Leaf, str]
    Rows = Callable[[Table, str, Wanted], n.Step | None]


def narrowed(plan: n.Node, values: Values, rows: Rows) -> n.Node:
    """A plan without the scans of which `rows` reads those with values of a key that `values` knows."""
    if isinstance(plan, (n.Restrict, n.Narrow)):
        for column, wanted in _known(plan, values):
            if read := _read(plan.child, column, wanted, rows):
                child, is_exact = read
                is_done = isinstance(plan, n.Narrow) or (is_exact and len(plan.on) == 1)
                rest = narrowed(child, values, rows)
                return rest if is_done else replace(plan, child=rest)
    made = [narrowed(child, values, rows) for child in children(plan)]
    if isinstance(plan, (n.Join, n.Match)):
        made = _along(plan, made, values, rows)
    return plan if tuple(made) == children(plan) else with_children(plan, tuple(made))


def _along(
    node: n.Join | n.Match, inputs: list[n.Node], values: Values, rows: Rows
) -> list[n.Node]:
    """The inputs of a join, read from one that is here to the next, by the columns that are to be equal."""
    ways = list(_ways(node))
    for _ in inputs:
        for place, ours, other, theirs in ways:
            wanted = origin(inputs[other], theirs)
            is_known = wanted is not None and values(*wanted) is not None
            if wanted and is_known and _reads_table(inputs[place]):
                read = _read(inputs[place], ours, wanted, rows)
                inputs[place] = read[0] if read else inputs[place]
    return inputs


def _reads_table(node: n.Node) -> bool:
    return any(isinstance(leaf, (n.Scan, n.Stored)) for leaf in every(node))


def _ways(node: n.Join | n.Match) -> Iterator[tuple[int, str, int, str]]:
    """Inputs of which only rows matter that meet another, each with the columns that have to be equal."""
    places = {name: i for i, child in enumerate(children(node)) for name in child.columns}
    parts = [part.equality() for condition in node.on for part in condition.conjuncts()]
    for one, two in (pair for found in parts if found for pair in (found, found[::-1])):
        way = (places[one], places[two])
        is_to_right = isinstance(node, n.Match) and node.kind != "full" and way == (1, 0)
        is_to_left = isinstance(node, n.Match) and node.kind == "semi" and way == (0, 1)
        is_between = isinstance(node, n.Join) and way[0] != way[1]
        if is_between or is_to_right or is_to_left:
            yield way[0], one, way[1], two


def _known(node: n.Restrict | n.Narrow, values: Values) -> list[tuple[str, Wanted]]:
    """Columns of the input with those whose values are wanted of them, those of which most are different first."""
    pairs = (
        [(node.column, node.key)]
        if isinstance(node, n.Narrow)
        else zip(node.on, node.keys.columns, strict=True)
    )
    found = [((column, (node.keys, key)), values(node.keys, key)) for column, key in pairs]
    known = [(pair, len(kept.unique())) for pair, kept in found if kept is not None]
    return [pair for pair, _ in sorted(known, key=lambda one: -one[1])]


def _read(node: n.Node, column: str, wanted: Wanted, rows: Rows) -> tuple[n.Node, bool] | None:
    """The node over read rows, and whether it has no others; None where no scan can be read."""
    if isinstance(node, (n.Scan, n.Stored)):
        step = rows(node, column, wanted)
        return (step, True) if step is not None else None
    below = {place: name for place, name in _handed_on(node, column) if name}
    inputs = children(node)
    found = {
        place: read
        for place, name in below.items()
        if (read := _read(inputs[place], name, wanted, rows))
    }
    if not found:
        return None
    made = tuple(found[i][0] if i in found else child for i, child in enumerate(inputs))
    # The rows of a union come from all inputs, those of anything else from the first that has the column.
    origins = below if isinstance(node, (n.UnionAll, n.Union)) else list(below)[:1]
    return with_children(node, made), all(i in found and found[i][1] for i in origins)


def _handed_on(node: n.Node, column: str) -> Iterator[tuple[int, str | None]]:
    """The inputs of which only rows with some values matter where only such rows of the node do, and the columns."""
    if isinstance(node, n.Project):
        yield 0, {part.name: part.expr.column for part in node.items}[column]
    elif isinstance(node, (n.Filter, n.Distinct, n.Restrict, n.Narrow)):
        yield 0, column
    elif isinstance(node, (n.Aggregate, n.Window)):
        yield 0, column if column in node.keys else None
    elif isinstance(node, (n.UnionAll, n.Union, n.Intersect, n.Except)):
        place = node.columns.index(column)
        yield from ((i, child.columns[place]) for i, child in enumerate(children(node)))
    elif isinstance(node, n.Join) or _is_left(node, column):
        names = [column, *_tied_to(node, column)]
        for i, child in sorted(
            enumerate(children(node)), key=lambda one: column not in one[1].columns
        ):
            yield i, next((name for name in names if name in child.columns), None)


def _is_left(node: n.Node, column: str) -> bool:
    return isinstance(node, n.Match) and node.kind != "full" and column in node.left.columns


def _tied_to(node: n.Node, column: str) -> list[str]:
    """The columns that a join holds equal to one, of the same type: '1' and '01' may both be equal to 1."""
    assert isinstance(node, (n.Join, n.Match))
    pairs = tied(children(node), node.on)
    return [other for pair in pairs for one, other in (pair, pair[::-1]) if one == column]
