"""WITH RECURSIVE at the top of the query: the stored rows are its own, and it goes on from what changed.

    X = μX. B ⊎ S(X)                          S linear: it reads X once, on the left of outer, semi and anti joins
    D = ΔB ⊎ ΔS(X_old)
    ΔX = D ⊎ S_new(D) ⊎ S_new(S_new(D)) ⊎ …   until a round finds nothing

Rows that come and rows that go are followed apart. If both end, no new row holds itself up by way of a circle:
with D⁺ the rows that come, S_newᵏ(X_old) ≤ S_oldᵏ(X_old) + Σ S_newʲ(D⁺) is nothing in the end, and of all bags with
X = B ⊎ S(X) the one stored is the recursion's. Netted on the way they would miss that a branch was cut off and closed
to a circle in one go: the same rows, of which none is to be. Where the rounds do not end, the recursion is run anew:

    ΔX = X(B_new, S_new) − stored

The bound on the levels of a recursion is asked of the rounds: rows that grow deeper one refresh after the other may go
beyond it, where running the query fails.

Kind     fixpoint.
NULL     as the joins of the step say.
Cost     per round, the rows that its joins find for those found last; that of the recursion where it has no end.
Cases    sql/operators/recursion.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.delta import Delta, Rounds, Stage
from streamtables.plan.expr import Item, col, is_above_zero, item, one_if, total
from streamtables.plan.keys import linear_above, shown_as, unique_key
from streamtables.plan.nodes import WEIGHT
from streamtables.plan.walk import children, find, recursions, rewrite
from streamtables.plan.weighted import added, consolidated, over, plain_columns, weighted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamtables.rules.derive import Derive

# Spark's own bound for recursions that do not say how far they go.
_MOST_ROUNDS = 100
_COMES = "_comes"


def delta_stored_fixpoint(
    plan: n.Node,
    derive: Callable[[frozenset[str]], Derive],
    touched: frozenset[str],
    fields: Sequence[str],
) -> Delta | None:
    """The change of a recursion of which all columns are stored; None of any other plan, and of steps not linear.

    `derive` gives rules for what is touched.
    """
    above, op = linear_above(plan)
    shown = shown_as(above, op.columns)
    if not isinstance(op, n.Fixpoint) or shown is None or not _is_linear(op.step, op.name):
        return None
    if any(isinstance(part, n.Filter) for part in above):
        return None
    by_name = dict(zip(plan.columns, fields, strict=True))
    stored = n.Stored(tuple(by_name[shown[name]] for name in op.names), op.names)
    first, later = derive(touched), derive(frozenset({op.name}))
    before = rewrite(op.step, lambda node: stored if _is(node, op.name) else node)
    seeds = [found for part in (op.base, before) if (found := first.delta(part)) is not None]
    again = later.known_delta(op.step)
    # What is netted before rows that come and rows that go are told apart may hide a circle.
    if later.stages or any(any(find(stage.plan, n.Stored)) for stage in first.stages):
        return None
    rounds = Rounds(
        n.Step(op.name, (*op.names, WEIGHT)),
        _apart(weighted(again, op.names)),
        int(op.most) if op.most.isdecimal() else _MOST_ROUNDS,
        stored.fields,
        consolidated(added([weighted(op), weighted(stored, sign=-1)], op.names)),
    )
    seed = _apart(added([weighted(part, op.names) for part in seeds], op.names))
    step = n.Step(f"change_of_{op.name}", seed.columns)
    change: n.Node = step
    for project in reversed(above):
        change = over(project, [change])
    stage = Stage(step, seed, "what changes in one round of the recursion", rounds)
    stages = (*first.stages, stage)
    return Delta(stages, consolidated(change), unique_key(plan), is_compared=False)


def _is(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Recur) and node.name == name


def _is_linear(step: n.Node, name: str) -> bool:
    """Whether an operator gives of two bags of rows found last together what it gives of each."""
    reading = [child for child in children(step) if name in recursions(child)]
    if not reading:
        return _is(step, name) or name not in recursions(step)
    if isinstance(step, n.Match):
        is_passing = step.kind != "full" and reading == [step.left]
    elif isinstance(step, n.Join):
        is_passing = len(reading) == 1
    else:
        is_passing = isinstance(step, (n.Filter, n.Project, n.UnionAll, n.Generate))
    return is_passing and all(_is_linear(child, name) for child in reading)


def _apart(rows: n.Node) -> n.Node:
    """Rows that come and rows that go, each once, with how many copies."""
    names = plain_columns(rows)
    comes = Item(_COMES, one_if(is_above_zero(col(WEIGHT))))
    marked = n.Project(rows, (*map(item, rows.columns), comes))
    summed = n.Aggregate(marked, (*names, _COMES), (Item(WEIGHT, total(col(WEIGHT))),))
    return n.Project(summed, (*map(item, names), item(WEIGHT)))
