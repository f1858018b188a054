"""Set operators at the top of a query as counts: of each row, how many copies every branch has.

    A INTERSECT B EXCEPT C   per row (a, b, c), and the answer has out(out(a, b), c) copies of it

One count per branch tells all operators of a chain, whatever their nesting, also of rows not in the answer now.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item, lit, plus, total
from streamtables.plan.walk import children

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COUNTING = (n.Distinct, n.Union, n.Intersect, n.Except)


def is_counting(node: n.Node) -> bool:
    """Whether the node's answer follows from counts of its rows: a counting operator, or UNION ALL over some."""
    return isinstance(node, _COUNTING) or (
        isinstance(node, n.UnionAll) and any(map(is_counting, node.inputs))
    )


def branches(node: n.Node) -> tuple[n.Node, ...]:
    """What the operators of a chain are over, from left to right."""
    if not is_counting(node):
        return (node,)
    return tuple(branch for child in children(node) for branch in branches(child))


def counters(core: n.Node) -> tuple[str, ...]:
    """The names of the counts, one per branch."""
    return tuple(f"_copies_{number}" for number in range(len(branches(core))))


def counters_before(core: n.Node) -> tuple[str, ...]:
    """The names of the counts before a change."""
    return tuple(f"_before_{number}" for number in range(len(branches(core))))


def tallied(core: n.Node) -> n.Aggregate:
    """The counts of every row."""
    parts = [counted(branch, core, i, lit(1)) for i, branch in enumerate(branches(core))]
    return summed(parts, core)


def moved_counts(core: n.Node, before: n.Node, changes: Mapping[int, n.Node]) -> n.Node:
    """The counts of rows after changes of branches, and before."""
    now, then = counters(core), counters_before(core)
    held = (*map(item, core.columns), *map(item, now))
    moved = (counted(change, core, i, col(n.WEIGHT)) for i, change in changes.items())
    parts = [
        n.Project(
            before, (*held, *(Item(new, col(old)) for new, old in zip(then, now, strict=True)))
        )
    ]
    parts += [n.Project(part, (*held, *(Item(name, lit(0)) for name in then))) for part in moved]
    sums = tuple(Item(name, total(col(name))) for name in (*now, *then))
    return n.Aggregate(n.UnionAll(tuple(parts)), core.columns, sums)


def counted(rows: n.Node, core: n.Node, branch: int, copies: Expr) -> n.Node:
    """Rows of a branch, under the names of the answer, with all counts zero but that of the branch."""
    pairs = zip(
        core.columns, rows.columns, strict=False
    )  # a weight, which comes last, is not wanted
    columns = tuple(Item(new, col(old)) for new, old in pairs)
    counts = (
        Item(name, copies if i == branch else lit(0)) for i, name in enumerate(counters(core))
    )
    return n.Project(rows, (*columns, *counts))


def summed(parts: Sequence[n.Node], core: n.Node) -> n.Aggregate:
    """Counts added up per row."""
    sums = tuple(Item(name, total(col(name))) for name in counters(core))
    rows = parts[0] if len(parts) == 1 else n.UnionAll(tuple(parts))
    return n.Aggregate(rows, core.columns, sums)


def copies_in_all(counts: Sequence[str]) -> Expr:
    """The copies of a row in all branches together: zero where nobody has it."""
    return reduce(plus, map(col, counts))


def named(core: n.Node) -> tuple[Item, ...]:
    """The columns of the answer."""
    return tuple(map(item, core.columns))
