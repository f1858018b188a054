"""Tables of which only rows near touched keys matter, read on the driver before Spark sees the plan.

    scan ↾ K, scan near K  →  the rows with those keys, as a step

So it is where the restriction stands over a scan, or over what hands the key on: filters, projections, groups and
partitions of the key, set operators, joins, UNION ALL with the change of the same source. Of small tables all rows are
read, if that is all that is left to read. Spark would decode every row
of the files that may hold a key, in each query anew; and where keys are literals no more, the query is the same text
each time, whose generated code is known already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, col
from streamtables.plan.keys import tied
from streamtables.plan.origin import origin
from streamtables.plan.walk import children, every, rewrite, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    Leaf = n.Changed | n.Step
    Table = n.Scan | n.Stored
    Values = Callable[[Leaf, str], pa.ChunkedArray | None]
    Wanted = tuple[Leaf, str]
    Rows = Callable[[Table, str, Wanted], n.Step | None]
    All = Callable[[Table], n.Step | None]
    Made = Callable[[n.Node], n.Step | None]


def narrowed(plan: n.Node, values: Values, rows: Rows, made: Made = lambda _: None) -> n.Node:
    """A plan without the tables of which `rows` reads those with values of a key that `values` knows.

    What reads no table is computed by `made`, where its values tell what matters of another input.
    """
    if isinstance(plan, n.UnionAll):
        plan = _without_nothing(plan, values)
    if isinstance(plan, (n.Restrict, n.Narrow)):
        for column, wanted in _known(plan, values):
            if read := _read(plan.child, column, wanted, rows):
                child, is_exact = read
                is_done = isinstance(plan, n.Narrow) or (is_exact and len(plan.on) == 1)
                rest = narrowed(child, values, rows, made)
                return rest if is_done else replace(plan, child=rest)
    inputs = [narrowed(child, values, rows, made) for child in children(plan)]
    if isinstance(plan, (n.Join, n.Match)):
        inputs = _along(plan, inputs, values, rows, made)
    return plan if tuple(inputs) == children(plan) else with_children(plan, tuple(inputs))


def with_small(plan: n.Node, rows: All) -> n.Node:
    """A plan without the tables that `rows` reads from end to end, because they are small."""

    def read(node: n.Node) -> n.Node:
        return (rows(node) or node) if isinstance(node, (n.Scan, n.Stored)) else node

    return rewrite(plan, read)


def reads_table(node: n.Node) -> bool:
    """Whether a plan reads rows that are not here."""
    return any(isinstance(leaf, (n.Scan, n.Stored)) for leaf in every(node))


def _along(
    node: n.Join | n.Match, inputs: list[n.Node], values: Values, rows: Rows, made: Made
) -> list[n.Node]:
    """The inputs of a join, read from one that is here to the next, by the columns that are to be equal."""
    ways = list(_ways(node))
    for _ in inputs:
        for place, ours, other, theirs in ways:
            if not reads_table(inputs[place]) or reads_table(inputs[other]):
                continue
            wanted = origin(inputs[other], theirs)
            if wanted is None and (step := made(inputs[other])):
                inputs[other], wanted = step, (step, theirs)
            if wanted and values(*wanted) is not None:
                read = _read(inputs[place], ours, wanted, rows)
                inputs[place] = read[0] if read else inputs[place]
    return inputs


def _without_nothing(union: n.UnionAll, values: Values) -> n.Node:
    """A union without inputs of which it is known that they have no rows."""
    kept = [child for child in union.inputs if not _is_nothing(child, values)]
    if not kept or len(kept) == len(union.inputs):
        return union
    pairs = zip(union.columns, kept[0].columns, strict=True)
    first = n.Project(kept[0], tuple(Item(new, col(old)) for new, old in pairs))
    return n.UnionAll((first, *kept[1:])) if len(kept) > 1 else first


def _is_nothing(node: n.Node, values: Values) -> bool:
    """Whether it follows from what is here that a node has no rows."""
    if isinstance(node, (n.Changed, n.Step)):
        known = values(node, node.columns[0]) if node.columns else None
        return known is not None and not len(known)
    if isinstance(node, n.Restrict) and _is_nothing(node.keys, values):
        return True
    found = [_is_nothing(child, values) for child in children(node)]
    if isinstance(node, n.Aggregate):
        return bool(node.keys) and found[0]
    if isinstance(node, n.Match):
        return node.kind != "full" and (found[0] or (node.kind == "semi" and found[1]))
    if isinstance(node, n.Join):
        return any(found)
    is_passing = isinstance(node, (n.Filter, n.Project, n.Window, n.Restrict, n.Narrow, n.UnionAll))
    return is_passing and all(found)


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
