"""ORDER BY … LIMIT k at the top of a query, recognised in its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import (
    Item,
    Order,
    col,
    is_above_zero,
    is_below_zero,
    lit,
    minus,
    row_number,
)
from streamtables.plan.keys import linear_above
from streamtables.plan.over import Over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.plan.expr import Expr


@dataclass(frozen=True)
class Top:
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


def top_of(plan: n.Node) -> Top | None:
    """What a query takes the first rows of; None where it takes all, or not from the first on, or hides their order."""
    above, core = linear_above(plan)
    filters = [op for op in above if isinstance(op, n.Filter)]
    if not isinstance(core, n.Window) or core.keys or len(core.items) > 1:
        return None
    if len(filters) != 1 or above[-1] != filters[0]:
        return None
    rank = core.items[0].name
    over, count = Over.of_expr(core.items[0].expr), _count(filters[0].condition, rank)
    shown = _shown(core.child, above[:-1])
    if over is None or over.name != "row_number" or not count or shown is None:
        return None
    return Top(core.child, count, over.order, rank, above[:-1], shown)


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


def kept_core(plan: n.Node) -> n.Node:
    """The operator of which something can be kept beside a table: the topmost one, a LIMIT left aside."""
    top = top_of(plan)
    return linear_above(top.rows if top else plan)[1]
