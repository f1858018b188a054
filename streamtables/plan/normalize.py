"""PASSES over a lowered plan: the same answer, in the shape that rules want."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, all_of, col, item
from streamtables.plan.inline import inlined
from streamtables.plan.walk import children, rewrite, with_children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def normalize(plan: n.Node) -> n.Node:
    """Every pass in order; the columns of the answer stay what they were."""
    for change in PASSES:
        plan = change(plan)
    return plan


def filters_to_joins(plan: n.Node) -> n.Node:
    """A condition above a join moves to the input it is about, or becomes a join condition.

    `σ[l.k = r.k ∧ l.x > 1](L × R)` is `σ[x > 1](L) ⋈[k = k] R`: what the delta of a join follows from row to row.
    """
    return rewrite(plan, _filter_to_join)


def merge_projects(plan: n.Node) -> n.Node:
    """A projection of a projection is one projection, unless that would compute something twice."""
    return rewrite(plan, _merge_project)


def prune_columns(plan: n.Node) -> n.Node:
    """Columns that nobody reads are not carried: a change that touches only those changes nothing."""
    return _prune(plan, frozenset(plan.columns))


def keys_to_columns(plan: n.Node) -> n.Node:
    """`f(l) = g(r)` becomes an equality of columns, computed below: then its values can be looked up and listed."""
    return rewrite(plan, _key_to_column)


PASSES: tuple[Callable[[n.Node], n.Node], ...] = (
    filters_to_joins,
    keys_to_columns,
    merge_projects,
    prune_columns,
)


def _filter_to_join(node: n.Node) -> n.Node:
    if not isinstance(node, (n.Filter, n.Join)):
        return node
    if isinstance(node, n.Join):
        return _place_conditions(node)
    if isinstance(node.child, n.Filter):
        both = (*node.child.condition.conjuncts(), *node.condition.conjuncts())
        return _filter_to_join(_filtered(node.child.child, both))
    if isinstance(node.child, n.Join):
        on = (*node.child.on, *node.condition.conjuncts())
        return _place_conditions(n.Join(node.child.inputs, on))
    if isinstance(node.child, n.Match) and node.child.kind != "full":
        return _below_match(node.child, node.condition)
    return node


def _below_match(match: n.Match, condition: Expr) -> n.Node:
    """`σ[p(l)](L ⟕ R) = σ[p(l)](L) ⟕ R`: what a condition says of left rows alone, it says before they meet any."""
    own: list[Expr] = []
    rest: list[Expr] = []
    for part in condition.conjuncts():
        (own if part.columns and part.columns <= set(match.left.columns) else rest).append(part)
    if not own:
        return n.Filter(match, condition)
    left = _filter_to_join(_filtered(match.left, own))
    return _filtered(replace(match, left=left), rest)


def _place_conditions(join: n.Join) -> n.Node:
    """Conditions about one input filter that input; those about several stay with the join."""
    own: list[list[Expr]] = [[] for _ in join.inputs]
    shared: list[Expr] = []
    free: list[Expr] = []
    for condition in (part for on in join.on for part in on.conjuncts()):
        about = [i for i, child in enumerate(join.inputs) if condition.columns & set(child.columns)]
        (own[about[0]] if len(about) == 1 else shared if about else free).append(condition)
    inputs = tuple(_filtered(child, parts) for child, parts in zip(join.inputs, own, strict=True))
    return _filtered(n.Join(inputs, tuple(shared)), free)


def _filtered(node: n.Node, conditions: Iterable[Expr]) -> n.Node:
    condition = all_of(conditions)
    return n.Filter(node, condition) if condition else node


def _key_to_column(node: n.Node) -> n.Node:
    if not isinstance(node, (n.Join, n.Match)):
        return node
    inputs = list(children(node))
    on = []
    for written in node.on:
        condition, sides = written, written.sides()
        if sides and condition.equality() is None:
            left, right = (_as_column(side, inputs) for side in sides)
            condition = condition.with_sides(left, right)
        on.append(condition)
    if on == list(node.on):
        return node
    made = with_children(replace(node, on=()), tuple(inputs))
    assert isinstance(made, (n.Join, n.Match))
    made = replace(made, on=tuple(on))
    return n.Project(made, tuple(map(item, node.columns)))


def _as_column(side: Expr, inputs: list[n.Node]) -> Expr:
    """A side of an equality as a column of the one input that it reads, if it reads just one."""
    about = [i for i, child in enumerate(inputs) if side.columns & set(child.columns)]
    if side.column or len(about) != 1:
        return side
    child = inputs[about[0]]
    taken = {name.lower() for other in inputs for name in other.columns}
    name = next(f"_key_{i}" for i in count(1) if f"_key_{i}" not in taken)
    inputs[about[0]] = n.Project(child, (*map(item, child.columns), Item(name, side)))
    return col(name)


def _merge_project(node: n.Node) -> n.Node:
    if not (isinstance(node, n.Project) and isinstance(node.child, n.Project)):
        return node
    below = {part.name: part.expr for part in node.child.items}
    items = inlined(node.items, below)
    return node if items is None else n.Project(node.child.child, items)


def _prune(node: n.Node, needed: frozenset[str]) -> n.Node:
    """The node with at least the needed columns, in their old order."""
    if isinstance(node, n.Scan):
        kept = [i for i, name in enumerate(node.names) if name in needed] or [0]
        parts = (node.fields, node.names, node.types)
        return n.Scan(node.source, *(tuple(part[i] for i in kept if part) for part in parts))
    if isinstance(node, n.Filter):
        return n.Filter(_prune(node.child, needed | node.condition.columns), node.condition)
    if isinstance(node, n.Project):
        items = tuple(part for part in node.items if part.name in needed) or node.items[:1]
        return n.Project(_prune(node.child, _read_by(items)), items)
    if isinstance(node, n.Join):
        wanted = needed.union(*(condition.columns for condition in node.on))
        return n.Join(tuple(_prune(child, wanted) for child in node.inputs), node.on)
    if isinstance(node, n.Aggregate):
        items = tuple(part for part in node.items if part.name in needed)
        items = items if items or node.keys else node.items[:1]
        child = _exact(node.child, _read_by(items) | set(node.keys))
        return n.Aggregate(child, node.keys, items)
    if isinstance(node, n.UnionAll):
        kept = [i for i, name in enumerate(node.columns) if name in needed] or [0]
        return n.UnionAll(
            tuple(_exact(child, {child.columns[i] for i in kept}) for child in node.inputs)
        )
    if isinstance(node, n.Match):
        return _prune_match(node, needed)
    if isinstance(node, n.Window):
        items = tuple(part for part in node.items if part.name in needed)
        wanted = (needed | set(node.keys) | _read_by(items)) & set(node.child.columns)
        child = _prune(node.child, wanted)
        return n.Window(child, node.keys, items) if items else child
    if isinstance(node, n.Generate):
        wanted = (needed | node.call.columns) & set(node.child.columns)
        return replace(node, child=_prune(node.child, wanted))
    return _prune_whole_rows(node)


def _prune_match(node: n.Match, needed: frozenset[str]) -> n.Node:
    """A mark that nobody reads is not computed."""
    if node.kind == "mark" and node.mark not in needed:
        return _prune(node.left, needed)
    wanted = needed.union(*(condition.columns for condition in node.on))
    right = wanted if node.kind in ("left", "full") else wanted - set(node.left.columns)
    return replace(node, left=_prune(node.left, wanted), right=_prune(node.right, right))


def _prune_whole_rows(node: n.Node) -> n.Node:
    """Prune below an operator that compares whole rows, so that all its columns are needed."""
    if isinstance(node, n.Distinct):
        return n.Distinct(_exact(node.child, set(node.child.columns)))
    if isinstance(node, n.Union):
        return n.Union(_whole(node.left), _whole(node.right))
    if isinstance(node, (n.Intersect, n.Except)):
        return type(node)(_whole(node.left), _whole(node.right), node.all)
    if isinstance(node, n.Fixpoint):
        return replace(node, base=_whole(node.base), step=_whole(node.step))
    return node


def _whole(node: n.Node) -> n.Node:
    return _exact(node, set(node.columns))


def _exact(node: n.Node, names: set[str] | frozenset[str]) -> n.Node:
    """The node pruned to just these columns, in their old order (to one column where none is asked for)."""
    wanted = [name for name in node.columns if name in names] or list(node.columns[:1])
    pruned = _prune(node, frozenset(wanted))
    if list(pruned.columns) == wanted:
        return pruned
    return n.Project(pruned, tuple(item(name) for name in wanted))


def _read_by(items: Iterable[Item]) -> frozenset[str]:
    return frozenset(name for part in items for name in part.expr.columns)
