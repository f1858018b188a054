"""`GROUP BY session_window(t, gap)`: which session a row is in follows from the rows before it.

    end      = t + gap
    reach    = max(end) over the rows before it, by t
    session  = number of rows up to it, by t, with reach < t or none before
    key      = struct(min(t), max(end)) over the session

Rows without a time or with a gap that is not above zero are in none. A row that comes between two sessions makes them
one, a row that goes may split one: the touched keys of GROUP BY are recomputed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.sql.select import Select


def is_session(key: exp.Expr) -> bool:
    """Whether a key of GROUP BY is a session window."""
    return isinstance(key, exp.Anonymous) and str(key.name).lower() == "session_window"


def session_column(select: Select, call: exp.Expr, keys: Sequence[str]) -> str:
    """Put each row's session beside it; the sessions are those of rows with equal keys."""
    time, gap = (select.expr(part) for part in call.expressions)
    fresh = select.lower.names.fresh
    start, end = Item(fresh("start"), time), fresh("end")
    length = exp.cast(gap.tree.copy(), "interval")
    plus = exp.Add(this=exp.paren(time.tree.copy()), expression=length)
    plan: n.Node = n.Project(
        select.plan, (*map(item, select.plan.columns), start, Item(end, Expr(plus)))
    )
    later = exp.GT(this=col(end).tree, expression=col(start.name).tree)
    plan = n.Filter(plan, Expr(later))
    by = [col(start.name).tree, col(end).tree]
    before = exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="1", end_side="PRECEDING"
    )
    reach = Item(fresh("reach"), _over(exp.Max(this=col(end).tree), keys, by, before))
    plan = n.Window(plan, tuple(keys), (reach,))
    none = exp.Is(this=col(reach.name).tree, expression=exp.null())
    begins = exp.Or(
        this=none, expression=exp.GT(this=col(start.name).tree, expression=col(reach.name).tree)
    )
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    count = exp.Sum(this=exp.Case().when(begins, one).else_(zero))
    number = Item(fresh("session"), _over(count, keys, by))
    plan = n.Window(plan, tuple(keys), (number,))
    within = (*keys, number.name)
    first = Item(fresh("first"), _over(exp.Min(this=col(start.name).tree), within))
    last = Item(fresh("last"), _over(exp.Max(this=col(end).tree), within))
    plan = n.Window(plan, within, (first, last))
    parts = (("start", first), ("end", last))
    fields = [
        part for name, made in parts for part in (exp.Literal.string(name), col(made.name).tree)
    ]
    struct = exp.Anonymous(this="named_struct", expressions=fields)
    key = fresh("session_window")
    select.plan = n.Project(plan, (*map(item, select.plan.columns), Item(key, Expr(struct))))
    return key


def _over(
    call: exp.Expr,
    keys: Sequence[str],
    by: Sequence[exp.Expr] = (),
    spec: exp.Expr | None = None,
) -> Expr:
    order = exp.Order(expressions=[exp.Ordered(this=part.copy()) for part in by]) if by else None
    return Expr(
        exp.Window(this=call, partition_by=[col(key).tree for key in keys], order=order, spec=spec)
    )
