"""Where the columns of a plan come from: the columns of the sources whose values they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamtables.plan.expr import Expr

Field = tuple[str, str]
"""A source's key, and one of its columns."""
Origins = dict[str, frozenset[Field]]


def origins(plan: n.Node) -> Origins:
    """The fields behind each column of the plan's answer; what only decides which rows there are is none of them."""
    return _origins(plan, {})


def _origins(node: n.Node, recurs: Mapping[str, Origins]) -> Origins:
    if isinstance(node, n.Scan):
        return {
            name: frozenset({(node.source, field)})
            for name, field in zip(node.names, node.fields, strict=True)
        }
    if isinstance(node, n.Recur):
        return recurs[node.name]
    if isinstance(node, n.Fixpoint):
        return _recursive(node, recurs)
    if isinstance(node, n.Except):
        return _origins(node.left, recurs)
    inputs = [_origins(child, recurs) for child in children(node)]
    if isinstance(node, (n.UnionAll, n.Union, n.Intersect)):
        return _by_position(node.columns, inputs)
    below = {name: fields for found in inputs for name, fields in found.items()}
    return {name: below.get(name, frozenset()) for name in node.columns} | _made(node, below)


def _made(node: n.Node, below: Origins) -> Origins:
    """The columns that a node makes of those below it."""
    if isinstance(node, (n.Project, n.Aggregate, n.Window)):
        return {item.name: _behind([item.expr], below) for item in node.items}
    if isinstance(node, n.Generate):
        return dict.fromkeys(node.names, _behind([node.call], below))
    if isinstance(node, n.Match) and node.mark:
        return {node.mark: _behind(node.on, below)}
    return {}


def _behind(exprs: Iterable[Expr], below: Origins) -> frozenset[Field]:
    found = (below[name] for expr in exprs for name in expr.columns if name in below)
    return frozenset().union(*found)


def _by_position(columns: Sequence[str], inputs: Sequence[Origins]) -> Origins:
    return {
        name: frozenset().union(*(list(found.values())[number] for found in inputs))
        for number, name in enumerate(columns)
    }


def _recursive(node: n.Fixpoint, recurs: Mapping[str, Origins]) -> Origins:
    """What a step adds may come to the next step's columns: until nothing is added."""
    found = _by_position(node.names, [_origins(node.base, recurs)])
    while True:
        step = _origins(node.step, {**recurs, node.name: found})
        more = _by_position(node.names, [found, _by_position(node.step.columns, [step])])
        if more == found:
            return found
        found = more
