"""Set operators at the top of a query, by the copies of each row that are kept per branch.

    counts(l) = of the touched rows, how many copies each branch has: kept + Δ
    Δanswer   = out(counts) − out(kept)
    Δkept     = the rows whose counts differ, as they are less as they were

One step holds what a row's counts are beside what they were: what changes is told by filters of it.

Kind     counting without reading the rows.
NULL     rows meet under `<=>`.
Cost     that of the branches' changes, and of one look at the touched rows among those kept.
Cases    sql/operators/except_all.sql, sql/operators/distinct.sql
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta
from streamtables.plan.expr import (
    Expr,
    Item,
    any_of,
    col,
    is_above_zero,
    is_not_zero,
    item,
    lit,
    minus,
    negated,
    plus,
)
from streamtables.plan.keys import linear_above, unique_key
from streamtables.plan.tally import (
    branches,
    copies_in_all,
    counters,
    counters_before,
    is_counting,
    moved_counts,
)
from streamtables.plan.walk import children
from streamtables.plan.weighted import added, consolidated, over
from streamtables.rules import OUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamtables.rules.derive import Derive


def delta_kept_rows(plan: n.Node, core: n.Node, rules: Derive) -> Delta:
    """The change of the answer and of the counts, from those kept of the touched rows."""
    found = enumerate(map(rules.leaf, branches(core)))
    changes = {i: change for i, change in found if change is not None}
    touched = rules.touched_keys(added(list(changes.values()), core.columns), core.columns)
    state = n.State((*core.columns, *counters(core)))
    near = n.Restrict(state, touched, core.columns, is_rough=True)
    before = rules.stage(near, "copies of the touched rows")
    after = rules.stage(moved_counts(core, before, changes), "copies before and after the change")
    return Delta(
        tuple(rules.stages),
        _shown(plan, core, after),
        unique_key(plan),
        is_compared=False,
        state=_differing(core, after),
        before=before,
        kept=after,
        left=n.Project(_there(after, counters(core)), tuple(map(item, state.columns))),
        counts=counters(core),
    )


def _differing(core: n.Node, after: n.Step) -> n.Node:
    """The rows with other counts than they had, as they were and as they are."""
    now, then = counters(core), counters_before(core)
    pairs = zip(now, then, strict=True)
    moved = n.Filter(after, any_of(is_not_zero(minus(col(a), col(b))) for a, b in pairs))
    sides = []
    for counts, weight in ((now, lit(1)), (then, negated(lit(1)))):
        named = (Item(name, col(count)) for name, count in zip(now, counts, strict=True))
        items = (*map(item, core.columns), *named, Item(n.WEIGHT, weight))
        sides.append(n.Project(_there(moved, counts), items))
    return n.UnionAll(tuple(sides))


def _shown(plan: n.Node, core: n.Node, rows: n.Step) -> n.Node:
    """How many copies more of counted rows the answer shows now."""
    now, then = (_copies(core, map(col, of(core))) for of in (counters, counters_before))
    moved = n.Project(rows, (*map(item, core.columns), Item(n.WEIGHT, minus(now, then))))
    # Only of what is there: what stands above may fail on other rows.
    change: n.Node = n.Filter(moved, is_not_zero(col(n.WEIGHT)))
    above = linear_above(plan)[0]
    for op in reversed(above):
        change = over(op, [change])
    return consolidated(change) if above else change


def _copies(node: n.Node, counts: Iterator[Expr]) -> Expr:
    """How many copies of a row a chain of operators gives, by those in its branches."""
    if not is_counting(node):
        return next(counts)
    found = [_copies(child, counts) for child in children(node)]
    if isinstance(node, n.UnionAll):
        return reduce(plus, found)
    return OUT[type(node)](node)(found[0], found[-1])


def _there(rows: n.Node, counts: Sequence[str]) -> n.Node:
    """The rows that some branch has."""
    return n.Filter(rows, is_above_zero(copies_in_all(counts)))
