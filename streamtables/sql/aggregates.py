"""Aggregate calls in expressions: found, replaced by columns, and what they give over no rows."""

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
    """The outermost aggregate calls of an expression, each with its FILTER. A window call may hold some."""
    found: list[exp.Expr] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        inner = bare(part)
        if isinstance(part, exp.Window):
            call = bare(part.this)
            stack += list(call.iter_expressions())
            stack += [
                *(part.args.get("partition_by") or ()),
                *([part.args["order"]] if part.args.get("order") else ()),
            ]
            if isinstance(part.this, exp.Filter):
                stack.append(part.this.expression)
        elif isinstance(inner, exp.Func) and next(calls(inner))[0] in functions.AGGREGATES:
            found.append(part)
        elif not isinstance(part, exp.Query):
            stack += reversed(list(part.iter_expressions()))
    return found


def over_columns(tree: exp.Expr, names: Mapping[exp.Expr, str]) -> exp.Expr:
    """The expression with every known part replaced by its column, outermost first; subqueries stay."""
    if isinstance(tree, exp.Alias):
        return exp.alias_(over_columns(tree.this, names), tree.alias, quoted=True)
    if tree in names:
        return col(names[tree]).tree.copy()
    if isinstance(tree, exp.Query):
        return tree.copy()
    tree = tree.copy()
    for child in list(tree.iter_expressions()):
        child.replace(over_columns(child, names))
    return tree


def wished_name(tree: exp.Expr, otherwise: str) -> str:
    """A column's own name, or another for anything else."""
    return tree.name if isinstance(tree, exp.Column) else otherwise


def bare(tree: exp.Expr) -> exp.Expr:
    """A call without FILTER, WITHIN GROUP and IGNORE NULLS around it."""
    while isinstance(tree, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        tree = tree.this
    return tree


def over_nothing(call: exp.Expr) -> exp.Expr:
    """What an aggregate gives over no rows."""
    name = next(calls(bare(call)))[0]
    if name in functions.ZERO_OVER_NOTHING:
        return exp.cast(exp.Literal.number(0), "bigint")
    if name in functions.EMPTY_OVER_NOTHING:
        return exp.Anonymous(this="array", expressions=[])
    return exp.null()
