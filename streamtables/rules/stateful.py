"""An aggregate at the top of a query, kept by sums: its groups are not read again.

    state(K)  = sums per group, as of the last refresh
    Δstate    = sums of ΔR's weights, per touched group
    answer(K) = items(state(K) + Δstate) for groups with rows > 0

The new answers are compared with the stored ones, as those of recomputed groups are (derive.py).

Kind     regroup without reading the groups.
NULL     as the aggregates say (sql/algebraic.py).
Cost     that of ΔR, and of one look at the touched groups in the state and in the table.
Cases    sql/operators/aggregate.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta
from streamtables.plan.expr import Item, col, is_above_zero, item, total
from streamtables.plan.keys import linear_above, shown_groups
from streamtables.plan.weighted import added, consolidated, over, weighted
from streamtables.rules.derive import Derive

if TYPE_CHECKING:
    from collections.abc import Sequence


def derive_with_state(
    plan: n.Node,
    touched: frozenset[str],
    fields: Sequence[str],
    moved: Sequence[Item],
    items: Sequence[Item],
) -> Delta | None:
    """The change of the answer and of the state; None where none of the query's sources changed.

    `moved` are the sums over a change, the number of rows first; `items` are the aggregate's items over the sums.
    """
    rules = Derive(touched)
    above, core = linear_above(plan)
    shown = shown_groups(plan)
    assert isinstance(core, n.Aggregate)
    assert shown is not None
    change = rules.leaf(core.child)
    if change is None:
        return None
    names = [part.name for part in moved]
    state: n.Node = n.State((*core.keys, *names))
    stored: n.Node = n.Stored(tuple(fields), plan.columns)
    if core.keys:
        keys = rules.touched_keys(change, core.keys)
        state = n.Restrict(state, keys, core.keys)
        near = n.Restrict(stored, keys, tuple(shown[1][key] for key in core.keys))
        stored = rules.stage(near, "stored rows of the touched groups")
    before = rules.stage(state, "sums of the touched groups before")
    parts = (before, n.Aggregate(change, core.keys, tuple(moved)))
    sums = tuple(Item(name, total(col(name))) for name in names)
    after = rules.stage(n.Aggregate(n.UnionAll(parts), core.keys, sums), "and after the change")
    there: n.Node = n.Filter(after, is_above_zero(col(names[0]))) if core.keys else after
    answer: n.Node = n.Project(there, (*map(item, core.keys), *items))
    for op in reversed(above):
        answer = over(op, [answer])
    changes = consolidated(added([weighted(answer), weighted(stored, sign=-1)], plan.columns))
    kept = added([weighted(there), weighted(before, sign=-1)], there.columns)
    key = tuple(shown[1][name] for name in core.keys)
    return Delta(
        tuple(rules.stages), changes, key, is_compared=True, state=consolidated(kept), sums=after
    )
