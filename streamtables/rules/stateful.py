"""What stands at the top of a query, kept: its groups, or the rows that it counts, are not read again.

    state(K)  = sums and extremes per group, or copies of each row per branch, as of the last refresh
    Δstate    = the same of ΔR, per touched key
    aggregate   answer(K) = items(state(K) + Δstate) for groups with rows > 0
    counting    Δanswer   = out(state(K) + Δstate) − out(state(K))

The answers of groups are compared with the stored ones, as those of recomputed groups are (derive.py). A group is read
again only where the last row that had a kept extremum went, and none as good came.

Kind     regroup and counting without reading the groups and rows.
NULL     as the aggregates say (sql/algebraic.py); rows meet under `<=>`.
Cost     that of ΔR, and of one look at the touched keys in the state, and for groups in the table.
Cases    sql/operators/aggregate.sql, sql/operators/except_all.sql
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
    case_when,
    col,
    is_above_zero,
    item,
    lit,
    null,
    one_if,
    plus,
    same,
    times,
    total,
)
from streamtables.plan.keys import linear_above, shown_groups, unique_key
from streamtables.plan.tally import branches, copies_in_all, counted, counters, is_counting, summed
from streamtables.plan.walk import children
from streamtables.plan.weighted import added, consolidated, over, weighted
from streamtables.rules import OUT
from streamtables.rules.derive import Derive
from streamtables.sql.algebraic import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamtables.sql.algebraic import Algebra

_AGAIN = "_again"


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
    core = linear_above(plan)[1]
    if isinstance(core, n.Aggregate):
        assert algebra is not None
        return _groups(plan, core, rules, fields, algebra, types)
    return _rows(plan, core, rules)


def _groups(
    plan: n.Node,
    core: n.Aggregate,
    rules: Derive,
    fields: Sequence[str],
    algebra: Algebra,
    types: Mapping[str, str],
) -> Delta:
    shown = shown_groups(plan)
    assert shown is not None
    change = _known(rules.leaf(core.child))
    state: n.Node = n.State((*core.keys, *(part.name for part in algebra.kept)))
    stored: n.Node = n.Stored(tuple(fields), plan.columns)
    if core.keys:
        keys = rules.touched_keys(change, core.keys)
        state = n.Restrict(state, keys, core.keys)
        near = n.Restrict(stored, keys, tuple(shown[1][key] for key in core.keys))
        stored = rules.stage(near, "stored rows of the touched groups")
    before = rules.stage(state, "what is kept of the touched groups")
    after = _groups_after(core, rules, change, before, algebra)
    there: n.Node = n.Filter(after, is_above_zero(col(ROWS))) if core.keys else after
    answer: n.Node = n.Project(there, (*map(item, core.keys), *algebra.items(types)))
    for op in reversed(linear_above(plan)[0]):
        answer = over(op, [answer])
    changes = consolidated(added([weighted(answer), weighted(stored, sign=-1)], plan.columns))
    key = tuple(shown[1][name] for name in core.keys)
    return Delta(
        tuple(rules.stages),
        changes,
        key,
        is_compared=True,
        state=_moved(there, before),
        kept=after,
        counts=algebra.counts,
    )


def _groups_after(
    core: n.Aggregate, rules: Derive, change: n.Node, before: n.Step, algebra: Algebra
) -> n.Step:
    """What is kept of the touched groups after the change."""
    sums = tuple(Item(part.name, total(col(part.name))) for part in algebra.sums)
    if not algebra.extremes:
        moved: n.Node = n.Aggregate(change, core.keys, algebra.moved)
        both = n.Aggregate(n.UnionAll((before, moved)), core.keys, sums)
        return rules.stage(both, "and after the change")
    moving = list(algebra.moved)
    moving += [Item(one.name, one.come) for one in algebra.extremes]
    asides = [(one, *_aside(i)) for i, one in enumerate(algebra.extremes)]
    for one, come, gone in asides:
        moving += [Item(come, one.come), Item(gone, one.gone)]
    moved = n.Aggregate(change, core.keys, tuple(moving))
    blank = tuple(Item(name, null()) for _, *pair in asides for name in pair)
    filled = n.Project(before, (*map(item, before.columns), *blank))
    best = [Item(one.name, one.of(col(one.name))) for one in algebra.extremes]
    best += [Item(name, one.of(col(name))) for one, *pair in asides for name in pair]
    both = n.Aggregate(n.UnionAll((filled, moved)), core.keys, (*sums, *best))
    lost = one_if(
        any_of(one.is_lost(col(one.name), col(come), col(gone)) for one, come, gone in asides)
    )
    again = times(one_if(is_above_zero(col(ROWS))), lost) if core.keys else lost
    kept = n.Project(both, (*map(item, before.columns), Item(_AGAIN, again)))
    return _with_lost(core, rules, rules.stage(kept, "and after the change"), algebra)


def _with_lost(core: n.Aggregate, rules: Derive, after: n.Step, algebra: Algebra) -> n.Step:
    """The same with the lost extremes read from the rows of their groups."""
    on = core.keys or (_AGAIN,)
    lost = n.Project(n.Filter(after, is_above_zero(col(_AGAIN))), tuple(map(item, on)))
    keys = rules.stage(lost, "groups that lost an extremum")
    child = core.child
    if not core.keys:
        child = n.Project(child, (*map(item, child.columns), Item(_AGAIN, lit(1))))
    read = tuple(Item(f"_read_{one.name}", one.rows) for one in algebra.extremes)
    found = n.Aggregate(n.Restrict(child, keys, on), core.keys, read)
    extremes = rules.stage(found, "the extremes of these groups")
    names = {key: f"_read_{i}" for i, key in enumerate(core.keys)}
    renamed = tuple(Item(name, col(key)) for key, name in names.items())
    right = n.Project(extremes, (*renamed, *(item(part.name) for part in read)))
    equal = tuple(same(col(key), col(name)) for key, name in names.items())
    both = n.Match(after, right, equal, "left")
    taken = (
        Item(
            one.name,
            case_when(is_above_zero(col(_AGAIN)), col(f"_read_{one.name}"), col(one.name)),
        )
        for one in algebra.extremes
    )
    sums = (item(part.name) for part in algebra.sums)
    settled = n.Project(both, (*map(item, core.keys), *sums, *taken))
    return rules.stage(settled, "with these extremes")


def _aside(number: int) -> tuple[str, str]:
    """The columns for the extremum of what comes, and of what goes."""
    return f"_come_{number}", f"_gone_{number}"


def _rows(plan: n.Node, core: n.Node, rules: Derive) -> Delta:
    found = enumerate(map(rules.leaf, branches(core)))
    changes = {i: change for i, change in found if change is not None}
    touched = rules.touched_keys(added(list(changes.values()), core.columns), core.columns)
    state = n.Restrict(n.State((*core.columns, *counters(core))), touched, core.columns)
    before = rules.stage(state, "copies of the touched rows")
    parts = [counted(change, core, i, col(n.WEIGHT)) for i, change in changes.items()]
    after = rules.stage(summed([before, *parts], core), "and after the change")
    there = n.Filter(after, is_above_zero(copies_in_all(core)))
    both = [_shown(plan, core, after), weighted(_shown(plan, core, before), sign=-1)]
    return Delta(
        tuple(rules.stages),
        consolidated(added(both, plan.columns)),
        unique_key(plan),
        is_compared=False,
        state=_moved(there, before),
        kept=after,
        counts=counters(core),
    )


def _shown(plan: n.Node, core: n.Node, rows: n.Step) -> n.Node:
    """What the answer shows of counted rows."""
    copies = _copies(core, map(col, counters(core)))
    # Only of what is there: what stands above may fail on other rows.
    there = n.Filter(rows, is_above_zero(copies))
    answer: n.Node = n.Project(there, (*map(item, core.columns), Item(n.WEIGHT, copies)))
    for op in reversed(linear_above(plan)[0]):
        answer = over(op, [answer])
    return answer


def _copies(node: n.Node, counts: Iterator[Expr]) -> Expr:
    """How many copies of a row a chain of operators gives, by those in its branches."""
    if not is_counting(node):
        return next(counts)
    found = [_copies(child, counts) for child in children(node)]
    if isinstance(node, n.UnionAll):
        return reduce(plus, found)
    return OUT[type(node)](node)(found[0], found[-1])


def _moved(after: n.Node, before: n.Node) -> n.Node:
    return consolidated(added([weighted(after), weighted(before, sign=-1)], before.columns))


def _known(change: n.Node | None) -> n.Node:
    assert change is not None, "what is kept is moved only where its input changed"
    return change
