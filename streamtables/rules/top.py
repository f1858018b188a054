"""ORDER BY … LIMIT k at the top of a query: the first rows, from those that are stored and the change.

    C = stored + ΔR                       of R_new all rows up to b, the last stored one; behind it only what came
    first k of R_new = first k of C       if C has k rows up to b, or if fewer than k are stored, so that none is behind
                     = first k of R_new   else: then rows move up that are not stored, and R is read

The order must follow from what the answer shows. It is total: ties are broken by the rows themselves.

Kind     regroup of one group whose first rows are known.
NULL     stands where the order says.
Cost     that of ΔR, and of sorting k + |ΔR| rows; that of the query where rows move up from behind.
Cases    sql/operators/limit.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta
from streamtables.plan.expr import Item, Order, col, is_above_zero, item, lit, same
from streamtables.plan.weighted import added, as_bag, consolidated, over, weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.plan.top import Top
    from streamtables.rules.derive import Derive

_BORDER, _AGAIN, _MOVED = "_border", "_again", "_moved_up"


def delta_top(
    top: Top, plan: n.Node, change: n.Node, rules: Derive, fields: Sequence[str]
) -> Delta:
    """The change of such a query, by that of the rows that it takes the first of.

    `top.rows` is what is read where rows move up.
    """
    stored, names = n.Stored(tuple(fields), plan.columns), top.rows.columns
    known = n.Project(stored, tuple(Item(name, col(top.shown[name])) for name in names))
    before = rules.stage(known, "stored rows")
    both = added([weighted(before), change], names)
    found = rules.stage(as_bag(both), "stored rows and the change")
    again = rules.stage(_moved_up(top, before, found), "whether rows move up that are not stored")
    moved = n.Project(again, (Item(_MOVED, col(_AGAIN)),))
    kept = n.Match(_flagged(found), moved, (same(col(_AGAIN), col(_MOVED)),), "anti")
    read = n.Restrict(_flagged(top.rows), again, (_AGAIN,))
    rows = n.UnionAll(tuple(n.Project(part, tuple(map(item, names))) for part in (kept, read)))
    first = n.Filter(top.numbered(rows), top.is_first)
    answer: n.Node = first
    for op in reversed(top.above):
        answer = over(op, [answer])
    changes = consolidated(added([weighted(answer), weighted(stored, sign=-1)], plan.columns))
    return Delta(tuple(rules.stages), changes, None, is_compared=True)


def _moved_up(top: Top, before: n.Step, found: n.Step) -> n.Node:
    """One row if as many are stored as are wanted, and fewer are found up to the last of these."""
    last = n.Filter(top.numbered(before), top.is_last)
    columns = tuple(map(item, before.columns))
    sides = ((found, lit(0)), (last, lit(1)))
    marked = n.UnionAll(
        tuple(n.Project(side, (*columns, Item(_BORDER, mark))) for side, mark in sides)
    )
    border = n.Filter(top.numbered(marked, Order(_BORDER)), is_above_zero(col(_BORDER)))
    return n.Project(n.Filter(border, top.is_first), (Item(_AGAIN, lit(1)),))


def _flagged(rows: n.Node) -> n.Node:
    return n.Project(rows, (*map(item, rows.columns), Item(_AGAIN, lit(1))))
