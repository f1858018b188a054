"""Any tree as indented text: for explain, for tests, for error messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamtables.plan import nodes as n
from streamtables.plan.walk import children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamtables.plan.delta import Delta


def show(node: n.Node, depth: int = 0) -> str:
    """The tree, one operator a line, inputs indented below."""
    lines = ["  " * depth + _line(node)]
    lines += [show(child, depth + 1) for child in children(node)]
    return "\n".join(lines)


def show_delta(delta: Delta) -> str:
    """Every stage of a delta, then the change of the answer."""
    shown = (part for stage in delta.stages for part in stage.shown())
    parts = [f"{name} := {note}\n{show(plan, 1)}" for name, note, plan in shown]
    return "\n".join([*parts, "change :=", show(delta.changes, 1)])


def _line(node: n.Node) -> str:
    name = type(node).__name__
    if isinstance(node, (n.Scan, n.Changed)):
        return f"{name} {node.source} ({', '.join(node.names)})"
    if isinstance(node, n.Step):
        return f"{name} {node.name} ({', '.join(node.names)})"
    if isinstance(node, (n.Stored, n.State)):
        return f"{name} ({', '.join(node.names)})"
    return " ".join(filter(None, (name, _detail(node))))


def _detail(node: n.Node) -> str:
    say = _DETAILS.get(type(node))
    return say(node) if say else ""


def _list(parts: Iterable[object]) -> str:
    return ", ".join(map(str, parts))


def _aggregate(node: n.Aggregate | n.Window) -> str:
    return f"BY ({_list(node.keys)}) {_list(node.items)}".rstrip()


def _join(node: n.Join) -> str:
    return "ON " + " AND ".join(map(str, node.on)) if node.on else "CROSS"


def _match(node: n.Match) -> str:
    on = "ON " + " AND ".join(map(str, node.on)) if node.on else ""
    return " ".join(filter(None, (node.kind.upper(), node.mark, on)))


def _narrow(node: n.Narrow) -> str:
    keys = node.keys.name if isinstance(node.keys, n.Step) else f"changed {node.keys.source}"
    return f"{node.column} IN {keys}.{node.key}"


_DETAILS: dict[type[n.Node], Callable[[Any], str]] = {
    n.Filter: lambda node: str(node.condition),
    n.Project: lambda node: _list(node.items),
    n.Aggregate: _aggregate,
    n.Window: _aggregate,
    n.Join: _join,
    n.Match: _match,
    n.Generate: lambda node: f"{'OUTER ' * node.is_outer}{node.call} AS {_list(node.names)}",
    n.Constant: lambda node: f"({_list(node.names)})",
    n.Fixpoint: lambda node: f"{node.name} ({_list(node.names)})",
    n.Recur: lambda node: f"{node.name} ({_list(node.names)})",
    n.Restrict: lambda node: (
        f"({_list(node.on)}) IN {node.keys.name}{', roughly' if node.is_rough else ''}"
    ),
    n.Narrow: _narrow,
}
