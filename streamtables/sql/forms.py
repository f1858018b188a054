"""Aggregates whose answer depends on the order of the rows, in forms whose answer the rows alone decide.

Each form gives an answer that the written one could have given: floats are added in the order of their size, a list is
sorted, the first row is the least one, of ties the least one counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import Expr, col
from streamtables.sql.aggregates import bare
from streamtables.sql.refuse import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def settled_form(expr: Expr, rows: Sequence[str]) -> Expr | None:
    """The expression with its unstable calls in stable forms; None where some has none.

    `rows` are the columns that tell rows apart.
    """
    tree = expr.tree.copy()
    holder = exp.Paren(this=tree)
    for found in list(_calls_in(holder)):
        made = _form_of(found, rows)
        if made is None:
            return None
        found.replace(made)
    return Expr(holder.this)


def _calls_in(tree: exp.Expr) -> list[exp.Expr]:
    call = bare(tree)
    if isinstance(call, exp.Func) and next(calls(call))[0] in FORMS:
        return [tree]
    return [found for part in tree.iter_expressions() for found in _calls_in(part)]


def _form_of(tree: exp.Expr, rows: Sequence[str]) -> exp.Expr | None:
    if tree.find(exp.WithinGroup):
        return None
    call = bare(tree)
    where = tree.find(exp.Filter)
    condition = where.expression.this.copy() if where else None
    name = next(calls(call))[0]
    arguments = [*([call.this] if isinstance(call.this, exp.Expr) else ()), *call.expressions]
    if any(isinstance(part, exp.Distinct) for part in arguments):
        return None
    ignores = isinstance(tree, exp.IgnoreNulls) or tree.find(exp.IgnoreNulls) is not None
    return FORMS[name](arguments, condition, list(rows), ignores)


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[part.copy() for part in arguments])


def _only(tree: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    if condition is None:
        return tree
    return exp.Filter(this=tree, expression=exp.Where(this=condition.copy()))


def _both(one: exp.Expr | None, other: exp.Expr) -> exp.Expr:
    return other if one is None else exp.and_(one.copy(), other)


def _present(tree: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=exp.paren(tree.copy()), expression=exp.null()))


def _is(tree: exp.Expr, name: str) -> bool:
    return isinstance(tree, exp.Column) and tree.name == name


def _sorted(value: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    return _call("array_sort", _only(_call("collect_list", value), condition))


def _sum(arguments: list[exp.Expr], condition: exp.Expr | None, *_: object) -> exp.Expr:
    """`a + b + …`, the least first; NULL of nothing."""
    values = _sorted(exp.cast(arguments[0].copy(), "double"), condition)
    add = exp.Lambda(
        this=exp.Add(this=exp.to_identifier("a"), expression=exp.to_identifier("b")),
        expressions=[exp.to_identifier("a"), exp.to_identifier("b")],
    )
    total = _call("reduce", values, exp.cast(exp.Literal.number(0), "double"), add)
    empty = exp.EQ(this=_call("size", values), expression=exp.Literal.number(0))
    return exp.Case().when(empty, exp.null()).else_(total)


def _average(arguments: list[exp.Expr], condition: exp.Expr | None, *rest: object) -> exp.Expr:
    count = _only(exp.Count(this=arguments[0].copy()), condition)
    return exp.Div(this=_sum(arguments, condition, *rest), expression=count)


def _list(arguments: list[exp.Expr], condition: exp.Expr | None, *_: object) -> exp.Expr | None:
    return _sorted(arguments[0], condition) if len(arguments) == 1 else None


def _set(arguments: list[exp.Expr], condition: exp.Expr | None, *_: object) -> exp.Expr:
    return _call("array_sort", _only(_call("collect_set", *arguments), condition))


def _text(arguments: list[exp.Expr], condition: exp.Expr | None, *_: object) -> exp.Expr:
    separator = arguments[1] if len(arguments) > 1 else exp.Literal.string("")
    values = _sorted(exp.cast(arguments[0].copy(), "string"), condition)
    empty = exp.EQ(this=_call("size", values), expression=exp.Literal.number(0))
    return exp.Case().when(empty, exp.null()).else_(_call("array_join", values, separator))


def _best(end: str) -> Callable[..., exp.Expr | None]:
    """`max_by(x, y)` is `max_by(x, (y, x))` where y is not NULL."""

    def form(arguments: list[exp.Expr], condition: exp.Expr | None, *_: object) -> exp.Expr | None:
        if len(arguments) != 2:
            return None
        value, by = arguments
        condition = _both(condition, _present(by))
        return _only(_call(f"{end}_by", value, _call("struct", by, value)), condition)

    return form


def _outermost(end: str) -> Callable[..., exp.Expr | None]:
    """`first(x)` is the x of the least row."""

    def form(
        arguments: list[exp.Expr], condition: exp.Expr | None, rows: list[str], ignores: bool
    ) -> exp.Expr | None:
        value = arguments[0]
        if len(arguments) > 1:
            ignores = arguments[1].name.lower() == "true" or isinstance(arguments[1], exp.Boolean)
            if isinstance(arguments[1], exp.Boolean):
                ignores = bool(arguments[1].this)
        if ignores:
            condition = _both(condition, _present(value))
        others = [col(name).tree for name in rows if not _is(value, name)]
        row = _call("struct", *others, value)
        return _only(_call(f"{end}_by", value, row), condition)

    return form


FORMS: dict[str, Callable[..., exp.Expr | None]] = {
    "sum": _sum,
    "try_sum": _sum,
    "avg": _average,
    "mean": _average,
    "try_avg": _average,
    "collect_list": _list,
    "array_agg": _list,
    "collect_set": _set,
    "listagg": _text,
    "string_agg": _text,
    "max_by": _best("max"),
    "min_by": _best("min"),
    "first": _outermost("min"),
    "first_value": _outermost("min"),
    "any_value": _outermost("min"),
    "last": _outermost("max"),
    "last_value": _outermost("max"),
}
