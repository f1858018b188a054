"""What stands at the top of a query, kept: its groups, or the rows that it counts, are not read again.

    state(K)  = sums and extremes per group, or copies of each row per branch, as of the last refresh
    Δstate    = the same of ΔR, per touched key
    aggregate   answer(K) = items(state(K) + Δstate) for groups with rows > 0
    counting    Δanswer   = out(state(K) + Δstate) − out(state(K))

The answers of groups are compared with the stored ones, as those of recomputed groups are (derive.py), or where the
query takes only the first of them (top.py) with what they were by the state. A group is read again only where the last
row that had a kept extremum went, and none as good came.

Kind     regroup and counting without reading the groups and rows.
NULL     as the aggregates say (sql/algebraic.py); rows meet under `<=>`.
Cost     that of ΔR, and of one look at the touched keys in the state, and for groups in the table.
Cases    sql/operators/aggregate.sql, sql/operators/except_all.sql
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta
from streamtables.plan.expr import (
    col,
    is_above_zero,
    item,
)
from streamtables.plan.keys import linear_above, shown_groups
from streamtables.plan.top import kept_core, top_of
from streamtables.plan.weighted import added, consolidated, over, renamed, weighted
from streamtables.rules.derive import Derive
from streamtables.rules.kept_rows import delta_kept_rows
from streamtables.rules.regrouped import groups_after
from streamtables.rules.top import delta_top
from streamtables.sql.algebraic import ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.sql.algebraic import Algebra


def derive_with_state(
    plan: n.Node,
    touched: frozenset[str],
    fields: Sequence[str],
    algebra: Algebra | None,
    types: Mapping[str, str],
) -> Delta | None:
    """The change of the answer and of the state; None where none of the query's sources changed.

    `types` are those of the columns that are kept.
    """
    rules = Derive(touched)
    if not rules.is_touched(plan):
        return None
    top, core = top_of(plan), kept_core(plan)
    if isinstance(core, n.Aggregate) and top is None:
        assert algebra is not None
        return _compared_groups(plan, core, rules, fields, algebra, types)
    rows = top.rows if top else plan
    if top and isinstance(core, n.Aggregate):
        assert algebra is not None
        moved = _moved_groups(rows, core, rules, algebra, types)
        known = _all_groups(core, moved, algebra)
        top = replace(top, rows=_answer(rows, core, known, algebra, types))
    else:
        moved = delta_kept_rows(rows, core, rules)
    if top is None:
        return moved
    change = rules.stage(moved.changes, "change of the rows")
    first = delta_top(top, plan, change, rules, fields)
    names = ("state", "before", "kept", "left", "counts")
    return replace(first, **{name: getattr(moved, name) for name in names})


def _compared_groups(
    plan: n.Node,
    core: n.Aggregate,
    rules: Derive,
    fields: Sequence[str],
    algebra: Algebra,
    types: Mapping[str, str],
) -> Delta:
    """The touched groups as they are, less what the table has of them."""
    shown = shown_groups(plan)
    assert shown is not None
    change = _known(rules.leaf(core.child))
    keys = rules.touched_keys(change, core.keys) if core.keys else None
    stored: n.Node = n.Stored(tuple(fields), plan.columns)
    if keys:
        near = n.Restrict(stored, keys, tuple(shown[1][key] for key in core.keys))
        stored = rules.stage(near, "stored rows of the touched groups")
    before, after = _before_and_after(core, rules, change, keys, algebra)
    answer = _answer(plan, core, after, algebra, types)
    changes = consolidated(added([weighted(answer), weighted(stored, sign=-1)], plan.columns))
    return Delta(
        tuple(rules.stages),
        changes,
        tuple(shown[1][name] for name in core.keys),
        is_compared=True,
        state=_moved(_there(core, after), before),
        before=before,
        kept=after,
        left=_kept_columns(_there(core, after), before),
        counts=algebra.counts,
    )


def _moved_groups(
    rows: n.Node, core: n.Aggregate, rules: Derive, algebra: Algebra, types: Mapping[str, str]
) -> Delta:
    """The touched groups as they are, less what they were by what is kept of them."""
    change = _known(rules.leaf(core.child))
    keys = rules.touched_keys(change, core.keys)
    before, after = _before_and_after(core, rules, change, keys, algebra)
    both = [
        weighted(_answer(rows, core, groups, algebra, types), sign=sign)
        for groups, sign in ((after, 1), (before, -1))
    ]
    return Delta(
        tuple(rules.stages),
        consolidated(added(both, rows.columns)),
        None,
        is_compared=False,
        state=_moved(_there(core, after), before),
        before=before,
        kept=after,
        left=_kept_columns(_there(core, after), before),
        counts=algebra.counts,
    )


def _all_groups(core: n.Aggregate, moved: Delta, algebra: Algebra) -> n.Node:
    """What is kept of all groups after the change: of those that it did not touch as it was."""
    assert moved.kept is not None
    names = (*core.keys, *(part.name for part in algebra.kept))
    touched, equal = renamed(core.keys, "_touched_")
    keys = n.Project(moved.kept, touched)
    rest = n.Match(n.State(names), keys, tuple(equal), "anti")
    return n.UnionAll((rest, n.Project(moved.kept, tuple(map(item, names)))))


def _before_and_after(
    core: n.Aggregate, rules: Derive, change: n.Node, keys: n.Step | None, algebra: Algebra
) -> tuple[n.Step, n.Step]:
    """What is kept of the touched groups, before the change and after it."""
    state: n.Node = n.State((*core.keys, *(part.name for part in algebra.kept)))
    near = n.Restrict(state, keys, core.keys) if keys else state
    before = rules.stage(near, "what is kept of the touched groups")
    return before, groups_after(core, rules, change, before, algebra)


def _there(core: n.Aggregate, groups: n.Node) -> n.Node:
    """The groups that have rows; of all rows together there is one in any case."""
    return n.Filter(groups, is_above_zero(col(ROWS))) if core.keys else groups


def _answer(
    plan: n.Node, core: n.Aggregate, groups: n.Node, algebra: Algebra, types: Mapping[str, str]
) -> n.Node:
    """What a query down to its aggregate shows of groups that are kept."""
    items = (*map(item, core.keys), *algebra.items(types))
    answer: n.Node = n.Project(_there(core, groups), items)
    for op in reversed(linear_above(plan)[0]):
        answer = over(op, [answer])
    return answer


def _moved(after: n.Node, before: n.Node) -> n.Node:
    return consolidated(added([weighted(after), weighted(before, sign=-1)], before.columns))


def _kept_columns(after: n.Node, before: n.Node) -> n.Node:
    return n.Project(after, tuple(map(item, before.columns)))


def _known(change: n.Node | None) -> n.Node:
    assert change is not None, "what is kept is moved only where its input changed"
    return change
