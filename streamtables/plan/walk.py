"""Walking trees: children, rewriting bottom-up, finding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from streamtables.plan import nodes as n

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N = TypeVar("N", bound=n.Node)
_UNARY = (
    n.Filter,
    n.Project,
    n.Aggregate,
    n.Window,
    n.Generate,
    n.Distinct,
    n.Restrict,
    n.Narrow,
    n.Copies,
)
_PAIRS = (n.Union, n.Intersect, n.Except, n.Match)


def children(node: n.Node) -> tuple[n.Node, ...]:
    """The inputs of an operator (the keys of Restrict and Narrow are references, not inputs)."""
    if isinstance(node, (n.Join, n.UnionAll)):
        return node.inputs
    if isinstance(node, _PAIRS):
        return (node.left, node.right)
    if isinstance(node, n.Fixpoint):
        return (node.base, node.step)
    if isinstance(node, _UNARY):
        return (node.child,)
    return ()


def with_children(node: n.Node, inputs: tuple[n.Node, ...]) -> n.Node:
    """The same operator over other inputs."""
    if isinstance(node, (n.Join, n.UnionAll)):
        return replace(node, inputs=inputs)
    if isinstance(node, _PAIRS):
        return replace(node, left=inputs[0], right=inputs[1])
    if isinstance(node, n.Fixpoint):
        return replace(node, base=inputs[0], step=inputs[1])
    if isinstance(node, _UNARY):
        return replace(node, child=inputs[0])
    return node


def rewrite(node: n.Node, change: Callable[[n.Node], n.Node]) -> n.Node:
    """The tree with `change` applied to every node, inputs first."""
    inputs = children(node)
    changed = tuple(rewrite(child, change) for child in inputs)
    return change(node if changed == inputs else with_children(node, changed))


def every(node: n.Node) -> Iterator[n.Node]:
    """Every node of the tree, the root first."""
    yield node
    for child in children(node):
        yield from every(child)


def find(node: n.Node, kind: type[N]) -> Iterator[N]:
    """Every node of a kind."""
    return (found for found in every(node) if isinstance(found, kind))


def sources(node: n.Node) -> frozenset[str]:
    """The sources that a plan reads."""
    return frozenset(scan.source for scan in find(node, n.Scan))


def recursions(node: n.Node) -> frozenset[str]:
    """The recursions whose rows found last a plan reads."""
    return frozenset(recur.name for recur in find(node, n.Recur))


def references(node: n.Node) -> Iterator[n.Node]:
    """The leaves a tree reads by name: changes and steps, also those that only keys refer to."""
    for found in every(node):
        if isinstance(found, (n.Changed, n.Step)):
            yield found
        if isinstance(found, (n.Restrict, n.Narrow)):
            yield found.keys
