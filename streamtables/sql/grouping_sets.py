"""GROUPING SETS, ROLLUP and CUBE written out as lists of keys."""

from __future__ import annotations

from itertools import product

from sqlglot import exp

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def grouping_sets(group: exp.Group | None) -> list[tuple[exp.Expr, ...]] | None:
    """The grouping sets of a GROUP BY; None where it is a plain one."""
    if group is None:
        return None
    parts = [*group.expressions, *(p for kind in _SETS for p in group.args.get(kind.key) or ())]
    for name in ("rollup", "cube", "grouping_sets"):
        parts += [p for p in group.args.get(name) or () if p not in parts]
    if not any(isinstance(part, _SETS) for part in parts):
        return None
    plain = [part for part in parts if not isinstance(part, _SETS)]
    special = [part for part in parts if isinstance(part, _SETS)]
    # GROUP BY a, b GROUPING SETS (…) lists the keys before the sets; after a comma the sets are another part.
    is_list = bool(group.args.get("grouping_sets"))
    if plain and any(not part.expressions for part in special):  # GROUP BY a, b WITH ROLLUP
        special[0].set("expressions", plain)
        is_list = True
    choices = [_sets_of(part) for part in special]
    fixed = () if is_list else listed_keys(group)
    return [
        tuple(dict.fromkeys((*fixed, *(key for chosen in combined for key in chosen))))
        for combined in product(*choices)
    ]


def listed_keys(group: exp.Group | None) -> tuple[exp.Expr, ...]:
    """The keys that stand in GROUP BY outside all sets."""
    parts = group.expressions if group is not None else ()
    plain = (part for part in parts if not isinstance(part, _SETS))
    return tuple(key for part in plain for key in _columns(part))


def _sets_of(tree: exp.Expr) -> list[tuple[exp.Expr, ...]]:
    parts = [_columns(part) for part in tree.expressions]
    if isinstance(tree, exp.Rollup):
        return [
            tuple(key for part in parts[:count] for key in part)
            for count in range(len(parts), -1, -1)
        ]
    if isinstance(tree, exp.Cube):
        return [
            tuple(key for part, is_in in zip(parts, chosen, strict=True) if is_in for key in part)
            for chosen in product((True, False), repeat=len(parts))
        ]
    return [
        found
        for part in tree.expressions
        for found in (_sets_of(part) if isinstance(part, _SETS) else [_columns(part)])
    ]


def _columns(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    if isinstance(tree, exp.Tuple):
        return tuple(tree.expressions)
    if isinstance(tree, exp.Paren):
        return (tree.this,)
    return (tree,)
