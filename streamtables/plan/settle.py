"""What a change asks of the stored bag: for each row it takes away, how many copies are stored.

    settled(row) = (weight, stored)     copies after = stored + weight ≥ 0

Delta Lake can take away only all copies of a row, so those that stay must be counted to be put back. A row whose weight
is below zero and of which fewer copies are stored proves a fault somewhere upstream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, is_below_zero, item, lit, total
from streamtables.plan.weighted import added, consolidated, weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

STORED = "_stored"


def gone(change: n.Step) -> n.Node:
    """The rows that a materialised change takes away, each once."""
    rows = tuple(item(name) for name in change.columns if name != n.WEIGHT)
    return n.Project(n.Filter(change, is_below_zero(col(n.WEIGHT))), rows)


def settled(change: n.Step, taken: n.Step, fields: Sequence[str]) -> n.Node:
    """Every changed row with its weight and, where it loses copies, how many are stored."""
    names = taken.columns
    stored = n.Restrict(n.Stored(tuple(fields), names), taken, names)
    both = n.UnionAll(
        (_counted(change, names, col(n.WEIGHT), lit(0)), _counted(stored, names, lit(0), lit(1)))
    )
    return n.Aggregate(both, names, (_sum(n.WEIGHT), _sum(STORED)))


def difference(answer: n.Step, fields: Sequence[str]) -> n.Node:
    """The query's whole answer less what is stored."""
    stored = n.Stored(tuple(fields), answer.columns)
    return consolidated(added([weighted(answer), weighted(stored, sign=-1)], answer.columns))


def _counted(node: n.Node, names: Sequence[str], weight: Expr, stored: Expr) -> n.Node:
    return n.Project(node, (*map(item, names), Item(n.WEIGHT, weight), Item(STORED, stored)))


def _sum(name: str) -> Item:
    return Item(name, total(col(name)))
