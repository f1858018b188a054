"""Which columns of an answer no two of its rows share."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamtables.plan.expr import Expr


# Candidates are tried together at joins: more than a few are not worth it.
_MOST = 4
_PASSING = (n.Filter, n.Project, n.Window, n.Generate)


def unique_key(node: n.Node) -> tuple[str, ...] | None:
    """The shortest known key of the node's answer (NULLs count as values), or None where equal rows may repeat.

    An empty key says that there is at most one row.
    """
    return next(iter(unique_keys(node)), None)


def unique_keys(node: n.Node) -> list[tuple[str, ...]]:
    """Keys of the node's answer, the shortest first.

    filter          keys without columns held to one value
    projection      keys that pass unchanged
    join            key(L) ∪ key(R), without a key that the ON conditions tie to columns of the other side
    LEFT            the same; SEMI, ANTI: key(L); FULL: none, since rows padded on either side may look alike
    GROUP BY        the group's columns; without GROUP BY the empty key
    window          keys of the input; with ROW_NUMBER its partition's columns and the number
    posexplode      key and position
    DISTINCT, UNION all columns; INTERSECT and EXCEPT also keys of an input, with ALL only these
    UNION ALL       keys of the branches and a column in which each has a constant of its own
    """
    found = (tuple(dict.fromkeys(key)) for key in _keys(node))
    return sorted(dict.fromkeys(found), key=len)[:_MOST]


def _keys(node: n.Node) -> Iterable[tuple[str, ...]]:
    if isinstance(node, n.Aggregate):
        return [node.keys]
    if isinstance(node, n.OneRow):
        return [()]
    if isinstance(node, n.Distinct):
        return [*unique_keys(node.child), node.columns]
    if isinstance(node, n.Join):
        return _keys_of_join(node.inputs, node.on)
    if isinstance(node, n.Match):
        return _keys_of_match(node)
    if isinstance(node, n.UnionAll):
        return _keys_of_branches(node)
    if isinstance(node, (n.Union, n.Intersect, n.Except)):
        return _keys_of_pair(node)
    return _keys_passed(node) if isinstance(node, _PASSING) else []


def _keys_passed(node: n.Filter | n.Project | n.Window | n.Generate) -> list[tuple[str, ...]]:
    keys = unique_keys(node.child)
    if isinstance(node, n.Filter):
        fixed = {name for part in node.condition.conjuncts() for name in _held(part)}
        return [tuple(name for name in key if name not in fixed) for key in keys]
    if isinstance(node, n.Project):
        names = passed_through(node)
        return [tuple(map(names.__getitem__, key)) for key in keys if set(key) <= names.keys()]
    if isinstance(node, n.Window):
        numbers = (part.name for part in node.items if part.expr.call == "row_number")
        return [*keys, *((*node.keys, number) for number in numbers)]
    is_placed = node.call.call in ("posexplode", "posexplode_outer")
    return [(*key, node.names[0]) for key in keys] if is_placed else []


def _held(condition: Expr) -> Iterable[str]:
    """The column that a condition holds to one value."""
    one, other = condition.sides() or (condition, condition)
    pairs = ((one, other), (other, one))
    return [a.column for a, b in pairs if a.column and b.constant is not None]


def _keys_of_join(inputs: Sequence[n.Node], on: Sequence[Expr]) -> Iterable[tuple[str, ...]]:
    """Every choice of a key per input, without the keys that follow from what is left."""
    equal = tied(inputs, on)
    sides = [(set(side.columns), unique_keys(side)) for side in inputs]
    for choice in islice(product(*(keys for _, keys in sides)), _MOST):
        for order in (range(len(choice)), range(len(choice) - 1, -1, -1)):
            kept = dict(enumerate(choice))
            for i in order:
                rest = [name for j, key in kept.items() if j != i for name in key]
                if set(choice[i]) <= _following(rest, sides, equal):
                    del kept[i]
            yield tuple(name for key in kept.values() for name in key)


def tied(inputs: Sequence[n.Node], on: Sequence[Expr]) -> list[tuple[str, str]]:
    """The columns that are equal; of other types '1' and '01' may both be equal to 1, which ties nothing."""
    types = {name: kind for side in inputs for name, kind in _types(side).items()}
    pairs = (part.equality() for condition in on for part in condition.conjuncts())
    return [
        pair for pair in pairs if pair and types.get(pair[0], "") == types.get(pair[1]) is not None
    ]


def _following(
    columns: Iterable[str],
    sides: Iterable[tuple[set[str], list[tuple[str, ...]]]],
    equal: Iterable[tuple[str, str]],
) -> set[str]:
    """The columns whose values follow from those of others: by equality, and by keys of the inputs."""
    known: set[str] = set(columns)
    while True:
        more = {b for pair in equal for a, b in (pair, pair[::-1]) if a in known}
        more = more.union(*(own for own, keys in sides if any(known.issuperset(k) for k in keys)))
        if more <= known:
            return known
        known |= more


def _keys_of_match(node: n.Match) -> Iterable[tuple[str, ...]]:
    if node.kind in ("semi", "anti", "mark"):
        return unique_keys(node.left)
    # FULL: a left row and a right row whose keys are NULL, both padded, look alike.
    if node.kind == "full":
        return []
    equal = dict(tied((node.left, node.right), node.on))
    equal |= {b: a for a, b in equal.items()}
    met = {name for name, other in equal.items() if other in node.left.columns}
    rights = unique_keys(node.right)
    lefts = unique_keys(node.left)
    if any(set(key) <= met for key in rights):
        return lefts
    return [(*left, *right) for left in lefts for right in rights]


def _keys_of_pair(node: n.Union | n.Intersect | n.Except) -> Iterable[tuple[str, ...]]:
    """Both sides limit the copies of an INTERSECT, the left one those of an EXCEPT, unless types make values equal."""
    found = [] if isinstance(node, (n.Intersect, n.Except)) and node.all else [node.columns]
    sides = {n.Intersect: (node.left, node.right), n.Except: (node.left,)}.get(type(node), ())
    for side in sides:
        names = dict(zip(side.columns, node.columns, strict=True))
        for key in unique_keys(side):
            renamed = tuple(map(names.__getitem__, key))
            if set(renamed) <= _types(node).keys():
                found.append(renamed)
    return found


def _keys_of_branches(node: n.UnionAll) -> Iterable[tuple[str, ...]]:
    keys = [unique_keys(branch) for branch in node.inputs]
    own = [name for i, name in enumerate(node.columns) if _differ(node.inputs, i)]
    if not own or not all(keys):
        return
    places = {
        branch.columns.index(name)
        for branch, (key, *_) in zip(node.inputs, keys, strict=True)
        for name in key
    }
    names = [node.columns[i] for i in sorted(places)]
    if set(names) - {own[0]} <= _types(node).keys():
        yield (own[0], *names)


def _differ(branches: Sequence[n.Node], place: int) -> bool:
    """Whether each branch has a constant of its own in a column."""
    values = []
    for branch in branches:
        if not isinstance(branch, n.Project):
            return False
        values.append(branch.items[place].expr.constant)
    kinds = {type(value) for value in values}
    return len(set(values)) == len(values) and kinds in ({str}, {int})


def _types(node: n.Node) -> dict[str, str]:
    """The types of the columns that come unchanged from sources, in set operators from sources alike."""
    if isinstance(node, n.Scan):
        return dict(zip(node.names, node.types, strict=False))
    below = [_types(child) for child in children(node)]
    if isinstance(node, n.Project):
        names = {part.name: part.expr.column for part in node.items}
        return {name: below[0][old] for name, old in names.items() if old in below[0]}
    if isinstance(node, (n.UnionAll, n.Union, n.Intersect, n.Except)):
        sides = list(zip(children(node), below, strict=True))
        alike = {
            name: {types.get(side.columns[i], "") for side, types in sides}
            for i, name in enumerate(node.columns)
        }
        return {
            name: kinds.pop()
            for name, kinds in alike.items()
            if len(kinds) == 1 and "" not in kinds
        }
    if isinstance(node, n.Fixpoint):
        return {}
    made = {name for name in node.columns if not any(name in types for types in below)}
    return {
        k: v for types in below for k, v in types.items() if k in node.columns and k not in made
    }


def shown_groups(plan: n.Node) -> tuple[n.Aggregate | n.Window, dict[str, str]] | None:
    """The topmost aggregate or window, if the answer shows its keys: each row of the answer is of one of its groups.

    With it comes what the answer calls the keys.
    """
    above, core = linear_above(plan)
    if not isinstance(core, (n.Aggregate, n.Window)):
        return None
    names = shown_as(above, core.keys)
    return None if names is None else (core, names)


def shown_as(
    above: Sequence[n.Filter | n.Project], columns: Sequence[str]
) -> dict[str, str] | None:
    """What filters and projections at the top call some columns of what lies below; None where one is not shown."""
    names = {column: column for column in columns}
    for op in reversed(above):
        if isinstance(op, n.Project):
            passed = passed_through(op)
            names = {column: passed[name] for column, name in names.items() if name in passed}
    return names if len(names) == len(columns) else None


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
