"""What is kept of touched groups after a change: sums moved on, extremes as far as they are known, the rest read again.

    after(K) = state(K) + Δstate

An extremum of a group is lost where the last row that had it went, and none as good came: then its rows tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import (
    Item,
    any_of,
    case_when,
    col,
    is_above_zero,
    item,
    lit,
    null,
    one_if,
    times,
    total,
)
from streamtables.plan.weighted import renamed
from streamtables.sql.algebraic import ROWS

if TYPE_CHECKING:
    from streamtables.rules.derive import Derive
    from streamtables.sql.algebraic import Algebra

_AGAIN = "_again"


def groups_after(
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
    keys_read, equal = renamed(core.keys, "_read_")
    right = n.Project(extremes, (*keys_read, *(item(part.name) for part in read)))
    both = n.Match(after, right, tuple(equal), "left")
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
