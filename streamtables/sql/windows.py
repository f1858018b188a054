"""Window functions: each becomes a column of a Window node, one node per PARTITION BY."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.sql.aggregates import wished_name
from streamtables.sql.subquery import attached_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.sql.select import Select


def with_named_windows(tree: exp.Select) -> exp.Select:
    """The SELECT with every `OVER name` written out."""
    named = {found.name.lower(): found for found in tree.args.get("windows") or ()}
    if not named:
        return tree
    tree = tree.copy()
    named = {found.name.lower(): found for found in tree.args["windows"]}
    tree.set("windows", None)
    for window in list(tree.find_all(exp.Window)):
        is_own = window.alias and window.parent_select is tree
        base = named.get(window.alias.lower()) if is_own else None
        if base is not None:
            for part in ("partition_by", "order", "spec"):
                if base.args.get(part) and not window.args.get(part):
                    found = base.args[part]
                    is_list = isinstance(found, list)
                    window.set(part, [p.copy() for p in found] if is_list else found.copy())
            window.set("alias", None)
    return tree


def windowed(select: Select, trees: Sequence[exp.Expr]) -> list[exp.Expr]:
    """The expressions with every window call replaced by a column; the select's plan then has these columns."""
    found = list(dict.fromkeys(call for tree in trees for call in _windows_in(tree)))
    if not found:
        return list(trees)
    names: dict[exp.Expr, str] = {}
    by_keys: dict[tuple[str, ...], list[exp.Expr]] = {}
    plain = {call: attached_inside(call, lambda _: select) for call in found}
    for written, call in plain.items():
        keys = tuple(select.column(key, wished_name(key, "part")) for key in _partition(call))
        distinct = tuple(dict.fromkeys((*select.domain, *keys)))
        by_keys.setdefault(tuple(sorted(distinct)), []).append(written)
    for keys, calls_found in by_keys.items():
        items = []
        for call in calls_found:
            names[call] = select.lower.names.fresh("window")
            items.append(Item(names[call], _lowered(select, plain[call], keys)))
        select.plan = n.Window(select.plan, keys, tuple(items))
    select.scope |= {("", name): name for name in names.values()}
    return [_replaced(tree, names) for tree in trees]


def _lowered(select: Select, call: exp.Expr, keys: Sequence[str]) -> Expr:
    """The call over the plan's columns, its PARTITION BY the keys."""
    bare = call.copy()
    bare.set("partition_by", None)
    inner = select.lower.expr(bare, select.scope, is_generator=True).tree
    inner.set("partition_by", [col(key).tree for key in keys])
    return Expr(inner)


def _partition(call: exp.Expr) -> list[exp.Expr]:
    parts = call.args.get("partition_by") or []
    # Partitioning by a constant is no partitioning.
    return [part for part in parts if part.find(exp.Column)]


def _windows_in(tree: exp.Expr) -> list[exp.Expr]:
    if isinstance(tree, exp.Window):
        return [tree]
    if isinstance(tree, exp.Query):
        return []
    return [call for part in tree.iter_expressions() for call in _windows_in(part)]


def _replaced(tree: exp.Expr, names: dict[exp.Expr, str]) -> exp.Expr:
    if tree in names:
        return col(names[tree]).tree.copy()
    if isinstance(tree, exp.Query):
        return tree
    tree = tree.copy()
    for child in list(tree.iter_expressions()):
        child.replace(_replaced(child, names))
    return tree
