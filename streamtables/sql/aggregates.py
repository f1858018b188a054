"""Aggregate calls in expressions: found, replaced by columns, and what they give over no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import col
from streamtables.sql import functions
from streamtables.sql.refuse import calls
from streamtables.sql.scope import free_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


_AROUND_CALLS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
GROUPED = "_grouped"
"""The table that stands for the groups where a subquery reads an aggregate over them."""


def is_grouped(tree: exp.Select) -> bool:
    """Whether a SELECT groups: by keys, by HAVING, or by an aggregate alone."""
    having = tree.args.get("having")
    parts = [*tree.expressions, *([having] if having else [])]
    return bool(tree.args.get("group") or having or any(aggregates_in(part) for part in parts))


def aggregates_in(tree: exp.Expr, keys: Collection[exp.Expr] | None = None) -> list[exp.Expr]:
    """The outermost aggregate calls of an expression, each with its FILTER. A window call may hold some.

    Between groups with `keys`, a call of an unknown function over what no key says is one too.
    """
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
        elif _is_aggregate(inner) or (keys is not None and _is_over_rows(part, keys)):
            found.append(part)
        elif not isinstance(part, exp.Query):
            stack += reversed(list(part.iter_expressions()))
    return found


def _is_aggregate(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Func) and next(calls(tree))[0] in functions.AGGREGATES


def _is_over_rows(tree: exp.Expr, keys: Collection[exp.Expr]) -> bool:
    """Whether a call reads columns that are neither keys nor inside an aggregate that is known by name."""
    call = bare(tree)
    if not isinstance(call, exp.Anonymous) or tree.find(exp.Window, exp.Query):
        return False
    stack, known = [call], aggregates_in(call)
    while stack:
        part = stack.pop()
        if part in keys or part in known:
            continue
        if isinstance(part, exp.Column) and part.table:
            return True
        stack += part.iter_expressions()
    return False


def borrowed_aggregates(tree: exp.Expr) -> list[exp.Expr]:
    """The aggregate calls in the subqueries of an expression that are over the rows around it.

    `HAVING EXISTS (SELECT 1 FROM t WHERE t.x < max(outer.y))` asks for max(outer.y) of each group.
    """
    around = tree.parent_select
    queries = [query for query in tree.find_all(exp.Query) if query.parent_select is around]
    return [call for query in queries for call in _borrowed_by(query)]


def _borrowed_by(query: exp.Expr) -> list[exp.Expr]:
    free = set(free_columns(query))
    found: list[exp.Expr] = []
    for call in query.find_all(exp.Func) if free else ():
        columns = {(part.table, part.name) for part in call.find_all(exp.Column)}
        if _is_aggregate(call) and columns and columns <= free:
            found.append(call)
    return found


def over_columns(
    tree: exp.Expr, names: Mapping[exp.Expr, str], *, is_windowed: bool = False
) -> exp.Expr:
    """The expression with every known part replaced by its column, outermost first.

    Of a subquery only the aggregates over the rows around it are; with `is_windowed`, the call itself is not, since
    it is one over groups, though one over rows may be written alike.
    """
    if isinstance(tree, exp.Alias):
        return exp.alias_(over_columns(tree.this, names), tree.alias, quoted=True)
    if tree in names and not is_windowed:
        return col(names[tree]).tree.copy()
    if isinstance(tree, exp.Query):
        tree = tree.copy()
        for call in [part for part in _borrowed_by(tree) if part in names]:
            call.replace(exp.column(names[call], table=GROUPED, quoted=True))
        return tree
    tree = tree.copy()
    is_around = isinstance(tree, exp.Window) or (is_windowed and isinstance(tree, _AROUND_CALLS))
    for child in list(tree.iter_expressions()):
        is_call = is_around and child.arg_key == "this"
        child.replace(over_columns(child, names, is_windowed=is_call))
    return tree


def wished_name(tree: exp.Expr, otherwise: str) -> str:
    """A column's own name, or another for anything else."""
    return tree.name if isinstance(tree, exp.Column) else otherwise


def bare(tree: exp.Expr) -> exp.Expr:
    """A call without FILTER, WITHIN GROUP and IGNORE NULLS around it."""
    while isinstance(tree, _AROUND_CALLS):
        tree = tree.this
    return tree


def over_nothing(call: exp.Expr) -> exp.Expr:
    """What an aggregate gives over no rows."""
    name = next(calls(bare(call)))[0]
    if name in functions.ZERO_OVER_NOTHING:
        return exp.cast(exp.Literal.number(0), exp.DType.BIGINT)
    if name in functions.EMPTY_OVER_NOTHING:
        return exp.Anonymous(this="array", expressions=[])
    return exp.null()
