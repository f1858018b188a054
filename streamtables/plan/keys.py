"""Which columns of an answer no two of its rows share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n

if TYPE_CHECKING:
    from collections.abc import Mapping


def unique_key(node: n.Node) -> tuple[str, ...] | None:
    """A key of the node's answer (NULLs count as values), or None where equal rows may repeat.

    An empty key says that there is at most one row.
    """
    if isinstance(node, n.Filter):
        return unique_key(node.child)
    if isinstance(node, n.Project):
        key = unique_key(node.child)
        return None if key is None else _renamed(key, passed_through(node))
    if isinstance(node, n.Join):
        keys = [unique_key(child) for child in node.inputs]
        if any(key is None for key in keys):
            return None
        return tuple(name for key in keys if key for name in key)
    if isinstance(node, n.Match):
        return _key_of_match(node)
    if isinstance(node, n.Window):
        return unique_key(node.child)
    if isinstance(node, n.Aggregate):
        return node.keys
    if isinstance(node, (n.Distinct, n.Union)) or (
        isinstance(node, (n.Intersect, n.Except)) and not node.all
    ):
        return node.columns
    return () if isinstance(node, n.OneRow) else None


def _key_of_match(node: n.Match) -> tuple[str, ...] | None:
    left = unique_key(node.left)
    if node.kind in ("semi", "anti", "mark") or left is None:
        return left
    right = unique_key(node.right)
    # FULL: a left row and a right row whose keys are NULL, both padded, look alike.
    if right is None or node.kind == "full":
        return None
    pairs = (set(condition.equality() or ()) for condition in node.on)
    tied = {name for pair in pairs if pair & set(node.left.columns) for name in pair}
    return left if set(right) <= tied else (*left, *right)


def shown_groups(plan: n.Node) -> tuple[n.Aggregate | n.Window, dict[str, str]] | None:
    """The topmost aggregate or window, if the answer shows its keys: each row of the answer is of one of its groups.

    With it comes what the answer calls the keys.
    """
    above, core = linear_above(plan)
    if not isinstance(core, (n.Aggregate, n.Window)):
        return None
    names = {key: key for key in core.keys}
    for op in reversed(above):
        if isinstance(op, n.Project):
            passed = passed_through(op)
            names = {key: passed[name] for key, name in names.items() if name in passed}
    return (core, names) if len(names) == len(core.keys) else None


def linear_above(plan: n.Node) -> tuple[list[n.Filter | n.Project], n.Node]:
    """The filters and projections at the top of a plan, topmost first, and what lies below them."""
    above: list[n.Filter | n.Project] = []
    while isinstance(plan, (n.Filter, n.Project)):
        above.append(plan)
        plan = plan.child
    return above, plan


def passed_through(project: n.Project) -> dict[str, str]:
    """The columns of its input that a projection hands on unchanged, and what it calls them first."""
    return {part.expr.column: part.name for part in reversed(project.items) if part.expr.column}


def _renamed(key: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...] | None:
    return tuple(names[name] for name in key) if all(name in names for name in key) else None
