"""Any tree as indented text: for explain, for tests, for error messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.walk import children

if TYPE_CHECKING:
    from streamtables.plan.delta import Delta


def show(node: n.Node, depth: int = 0) -> str:
    """The tree, one operator a line, inputs indented below."""
    lines = ["  " * depth + _line(node)]
    lines += [show(child, depth + 1) for child in children(node)]
    return "\n".join(lines)


def show_delta(delta: Delta) -> str:
    """Every stage of a delta, then the change of the answer."""
    parts = [f"{stage.step.name} := {stage.note}\n{show(stage.plan, 1)}" for stage in delta.stages]
    return "\n".join([*parts, "change :=", show(delta.changes, 1)])


def _line(node: n.Node) -> str:
    name = type(node).__name__
    if isinstance(node, (n.Scan, n.Changed)):
        return f"{name} {node.source} ({', '.join(node.names)})"
    if isinstance(node, n.Step):
        return f"{name} {node.name} ({', '.join(node.names)})"
    if isinstance(node, n.Stored):
        return f"{name} ({', '.join(node.names)})"
    return " ".join(filter(None, (name, _detail(node))))


def _detail(node: n.Node) -> str:
    if isinstance(node, n.Filter):
        return str(node.condition)
    if isinstance(node, n.Project):
        return ", ".join(map(str, node.items))
    if isinstance(node, n.Aggregate):
        return f"BY ({', '.join(node.keys)}) {', '.join(map(str, node.items))}".rstrip()
    if isinstance(node, n.Join):
        return "ON " + " AND ".join(map(str, node.on)) if node.on else "CROSS"
    if isinstance(node, n.Restrict):
        return f"({', '.join(node.on)}) IN {node.keys.name}"
    if isinstance(node, n.Narrow):
        keys = node.keys.name if isinstance(node.keys, n.Step) else f"changed {node.keys.source}"
        return f"{node.column} IN {keys}.{node.key}"
    return ""
