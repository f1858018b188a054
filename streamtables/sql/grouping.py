"""How a grouped SELECT is told, and its aggregates found and replaced by columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import col
from streamtables.sql import functions
from streamtables.sql.refuse import calls

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_grouped(tree: exp.Select) -> bool:
    """Whether a SELECT groups: by keys, by HAVING, or by an aggregate alone."""
    having = tree.args.get("having")
    parts = [*tree.expressions, *([having] if having else [])]
    return bool(tree.args.get("group") or having or any(aggregates_in(part) for part in parts))


def aggregates_in(tree: exp.Expr) -> list[exp.Expr]:
    """The outermost aggregate calls of an expression, each with its FILTER."""
    found: list[exp.Expr] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        inner = (
            part.this if isinstance(part, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls)) else part
        )
        if isinstance(inner, (exp.Filter, exp.WithinGroup)):
            inner = inner.this
        if isinstance(inner, exp.Func) and next(calls(inner))[0] in functions.AGGREGATES:
            found.append(part)
        elif not isinstance(part, exp.Query):
            stack += reversed(list(part.iter_expressions()))
    return found


def over_columns(tree: exp.Expr, names: Mapping[exp.Expr, str]) -> exp.Expr:
    """The expression with every known part replaced by its column, outermost first."""
    if isinstance(tree, exp.Alias):
        return exp.alias_(over_columns(tree.this, names), tree.alias, quoted=True)
    if tree in names:
        return col(names[tree]).tree.copy()
    tree = tree.copy()
    for child in list(tree.iter_expressions()):
        child.replace(over_columns(child, names))
    return tree


def wished_name(tree: exp.Expr, otherwise: str) -> str:
    """A column's own name, or another for anything else."""
    return tree.name if isinstance(tree, exp.Column) else otherwise
