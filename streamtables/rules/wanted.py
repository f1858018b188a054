"""Groups that can matter: those whose key the other inputs of a join have.

    L ⋈ Δγ(R), L ⟕ Δγ(R), …   only groups of keys(ΔR) ⋉ G,  for  keys(L_old) ∪ keys(L_new) ⊆ G

G is a filtered source that did not change and from which L takes the key: of a thousand groups that a batch touches it
may leave ten. A source without a filter mostly has every key, and is none. Groups are noted by their place in the plan,
where no node stands twice: what matters in one place says nothing of another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.keys import linear_above, tied

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamtables.plan.expr import Expr

Part = tuple[n.Node, str]
"""A filtered source, and its column that has every key."""


def wanted_groups(op: n.Join | n.Match) -> Iterator[tuple[n.Aggregate, str, Part]]:
    """Aggregates among the inputs, each with one of its keys and a part that has every value that matters of it."""
    inputs: tuple[n.Node, ...] = op.inputs if isinstance(op, n.Join) else (op.left, op.right)
    if isinstance(op, n.Match) and op.kind == "full":
        return
    for child in inputs if isinstance(op, n.Join) else inputs[1:]:
        core = linear_above(child)[1]
        if not isinstance(core, n.Aggregate):
            continue
        others = [other for other in inputs if other is not child]
        for column, equal in _pairs(inputs, op.on):
            key = _below(child, column) if column in child.columns else None
            if key not in core.keys:
                continue
            for other in others:
                if equal in other.columns:
                    yield from ((core, key, part) for part in _parts(other, equal))


def _parts(node: n.Node, column: str) -> Iterator[Part]:
    """The filtered sources from which a relation takes the values of a column."""
    above, core = linear_above(node)
    if isinstance(core, n.Scan):
        if any(isinstance(op, n.Filter) for op in above):
            yield node, column
        return
    below = _below(node, column)
    if below is None:
        return
    if isinstance(core, n.Join) or (isinstance(core, n.Match) and core.kind == "semi"):
        inputs = core.inputs if isinstance(core, n.Join) else (core.left, core.right)
        equal = {below, *(other for one, other in _pairs(inputs, core.on) if one == below)}
        for child in inputs:
            for name in sorted(equal & set(child.columns)):
                yield from _parts(child, name)
    elif isinstance(core, n.Match) and core.kind != "full" and below in core.left.columns:
        yield from _parts(core.left, below)


def _below(node: n.Node, column: str) -> str | None:
    """What a column is called below the projections at the top; None where it is computed there."""
    name: str | None = column
    for op in linear_above(node)[0]:
        if isinstance(op, n.Project):
            name = {part.name: part.expr.column for part in op.items}.get(name or "")
    return name


def _pairs(inputs: Sequence[n.Node], on: Sequence[Expr]) -> Iterator[tuple[str, str]]:
    """The columns that are equal and of one type, either way round: '1' and '01' may both be equal to 1."""
    parts = [part for condition in on for part in condition.conjuncts()]
    for one, other in tied(inputs, parts):
        yield from ((one, other), (other, one))
