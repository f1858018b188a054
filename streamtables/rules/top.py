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

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta
from streamtables.plan.expr import (
    Item,
    Order,
    col,
    is_above_zero,
    is_below_zero,
    item,
    lit,
    minus,
    row_number,
    same,
)
from streamtables.plan.keys import linear_above
from streamtables.plan.weighted import added, as_bag, consolidated, over, weighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.plan.expr import Expr
    from streamtables.rules.derive import Derive

_BORDER, _AGAIN, _MOVED = "_border", "_again", "_moved_up"


@dataclass(frozen=True)
class _Top:
    """The first `count` rows of a relation in an order, and what the answer shows of them."""

    rows: n.Node
    count: int
    order: tuple[Order, ...]
    rank: str
    above: Sequence[n.Node]
    """The projections to the answer, topmost first."""
    shown: Mapping[str, str]
    """Each column of the rows, and the column of the answer that has its values."""

    def numbered(self, rows: n.Node, *more: Order) -> n.Window:
        """Rows with their rank."""
        return n.Window(rows, (), (Item(self.rank, row_number((*self.order, *more))),))

    @property
    def is_last(self) -> Expr:
        """Whether a rank is the last that is wanted, or beyond."""
        return is_above_zero(minus(col(self.rank), lit(self.count - 1)))

    @property
    def is_first(self) -> Expr:
        """Whether a rank is wanted."""
        return is_below_zero(minus(col(self.rank), lit(self.count + 1)))


def delta_top(plan: n.Node, rules: Derive, fields: Sequence[str]) -> Delta | None:
    """The change of such a query; None for any other."""
    top = _top_of(plan)
    if top is None:
        return None
    stored, names = n.Stored(tuple(fields), plan.columns), top.rows.columns
    known = n.Project(stored, tuple(Item(name, col(top.shown[name])) for name in names))
    before = rules.stage(known, "stored rows")
    both = added([weighted(before), rules.known_delta(top.rows)], names)
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


def _moved_up(top: _Top, before: n.Step, found: n.Step) -> n.Node:
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


def _top_of(plan: n.Node) -> _Top | None:
    above, core = linear_above(plan)
    filters = [op for op in above if isinstance(op, n.Filter)]
    if not isinstance(core, n.Window) or core.keys or len(filters) != 1 or above[-1] != filters[0]:
        return None
    rank = core.items[0].name
    order, count = core.items[0].expr.order(), _count(filters[0].condition, rank)
    shown = _shown(core.child, above[:-1])
    if order is None or not count or shown is None or len(core.items) > 1:
        return None
    return _Top(core.child, count, order, rank, above[:-1], shown)


def _count(condition: Expr, rank: str) -> int:
    """How many rows are wanted, from the first on; 0 where the condition says something else."""
    found = {}
    for part in condition.conjuncts():
        sign, sides = part.operation() or ("", ())
        if len(sides) == 2 and sides[0].column == rank:
            found[sign] = sides[1].constant
    last = found.get("<=")
    return last if found == {">": 0, "<=": last} and isinstance(last, int) else 0


def _shown(rows: n.Node, above: Sequence[n.Node]) -> dict[str, str] | None:
    """The answer's column for each of the rows' own, also for those that are computed alike; None if one has none."""
    names = {name: name for name in rows.columns}
    for op in reversed(above):
        assert isinstance(op, n.Project)
        if any(part.expr.column is None for part in op.items):
            return None
        passed = {part.expr.column: part.name for part in op.items}
        names = {name: passed[now] for name, now in names.items() if now in passed}
    made = {part.name: part.expr for part in rows.items} if isinstance(rows, n.Project) else {}
    for name in rows.columns:
        if name not in names:
            alike = [other for other in names if name in made and made[other] == made[name]]
            if not alike:
                return None
            names[name] = names[alike[0]]
    return names
