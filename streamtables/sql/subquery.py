"""Subqueries in expressions become joins: what a condition keeps, what a value is.

    EXISTS (Q)       a row that meets a row of Q                           semi join; in any other place a mark
    x IN (Q)         a row that meets a row y of Q with x = y
    x NOT IN (Q)     no row of Q has x = y, and of none it is unknown      two anti joins, the second on (x = y) IS NULL
    (Q)              its only row's column, NULL if it has none            left join; two rows are an error

As a value, Spark's `x IN (Q)` is never NULL: it is true or false, and so is `x NOT IN (Q)`, both false where it is
unknown whether some y equals x. A NOT around AND and OR is moved to their parts first, and NOT NOT is left out, as
Spark does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, all_of, always, case_when, col, item, operand, same
from streamtables.plan.keys import unique_key
from streamtables.sql.correlation import Related, borrowed, related_to
from streamtables.sql.ordering import limited_rows
from streamtables.sql.refuse import without_rule
from streamtables.sql.scope import has_query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamtables.sql.correlation import Rows

MORE_THAN_ONE_ROW = "More than one row returned by a subquery used as an expression"


def keep(rows: Rows, condition: exp.Expr) -> None:
    """Only the rows for which a condition is true."""
    inner, is_not = _without_not(condition)
    if isinstance(inner, exp.Exists) and isinstance(inner.this, exp.Query):
        related = related_to(rows, inner.this)
        kind = "anti" if is_not else "semi"
        rows.plan = n.Match(rows.plan, related.plan, related.on, kind)
    elif isinstance(inner, exp.In) and inner.args.get("query"):
        values = _values(rows, inner)
        related = related_to(rows, inner.args["query"])
        equal = _equalities(values, related)
        if is_not:
            for right, on in (_on_equal(related, equal), *_on_unknown(values, related, equal)):
                rows.plan = n.Match(rows.plan, right, on, "anti")
        else:
            right, on = _on_equal(related, equal)
            rows.plan = n.Match(rows.plan, right, on, "semi")
    else:
        expr = attached(rows, condition)
        rows.plan = n.Filter(rows.plan, expr)


def attached(rows: Rows, tree: exp.Expr) -> Expr:
    """An expression, each of its subqueries made a column of the plan."""
    return rows.expr(attached_inside(tree, lambda _: rows))


def attached_inside(tree: exp.Expr, rows_for: Callable[[exp.Expr], Rows]) -> exp.Expr:
    """An expression in which a column stands for each subquery, made beside the rows that are for it."""
    if not has_query(tree):
        return tree
    holder = exp.Paren(this=_with_not_inside(tree.copy()))
    for found in _subqueries_in(holder.this):
        found.replace(_value(rows_for(found), found).tree.copy())
    inside: exp.Expr = holder.this
    return inside


def _subqueries_in(tree: exp.Expr) -> list[exp.Expr]:
    """The outermost subqueries, each with the EXISTS or IN that it belongs to."""
    inner, is_not = _without_not(tree)
    if is_not and isinstance(inner, exp.In) and inner.args.get("query"):
        return [tree]
    if isinstance(tree, exp.Exists) and isinstance(tree.this, exp.Query):
        return [tree]
    if (isinstance(tree, exp.In) and tree.args.get("query")) or isinstance(tree, exp.Query):
        return [tree]
    return [found for part in tree.iter_expressions() for found in _subqueries_in(part)]


def _value(rows: Rows, tree: exp.Expr) -> Expr:
    if isinstance(tree, exp.Exists):
        related = related_to(rows, tree.this)
        return _mark(rows, related.plan, related.on)
    inner, is_not = _without_not(tree)
    if isinstance(inner, exp.In):
        values = _values(rows, inner)
        related = related_to(rows, inner.args["query"])
        equal = _equalities(values, related)
        is_in = _mark(rows, *_on_equal(related, equal))
        if not is_not:
            return is_in
        unknown = [_mark(rows, right, on) for right, on in _on_unknown(values, related, equal)]
        either = exp.or_(*(mark.tree.copy() for mark in (is_in, *unknown)))
        return Expr(exp.Not(this=exp.paren(either)))
    return _scalar(rows, tree)


def _with_not_inside(tree: exp.Expr) -> exp.Expr:
    """`NOT (a OR b)` as `NOT a AND NOT b` and `NOT NOT a` as `a`, where a subquery is inside."""
    inner = tree.this.unnest() if isinstance(tree, exp.Not) else None
    if isinstance(inner, exp.Not) and has_query(inner):
        return _with_not_inside(exp.paren(inner.this.unnest()))
    if isinstance(inner, (exp.And, exp.Or)) and has_query(inner):
        parts = [exp.Not(this=exp.paren(part)) for part in (inner.left, inner.right)]
        other = exp.Or if isinstance(inner, exp.And) else exp.And
        tree = exp.paren(other(this=parts[0], expression=parts[1]))
    if not isinstance(tree, exp.Query):
        for part in list(tree.iter_expressions()):
            part.replace(_with_not_inside(part))
    return tree


def _mark(rows: Rows, right: n.Node, on: tuple[Expr, ...]) -> Expr:
    name = rows.lower.names.fresh("mark")
    rows.plan = n.Match(rows.plan, right, on, "mark", name)
    return col(name)


def _scalar(rows: Rows, tree: exp.Expr) -> Expr:
    """The only value of a subquery; NULL, or what it is over no rows, where it has none."""
    names = rows.lower.names
    query = tree.this if isinstance(tree, exp.Subquery) and not limited_rows(tree) else tree
    outer = borrowed(rows, query)
    answer = rows.lower.query(query, rows.ctes, outer)
    if len(answer.columns) != 1:
        raise without_rule("CONSTRUCT", tree, "a subquery of several columns as a value")
    value = answer.columns[0][1]
    right, count = answer.plan, None
    if not _is_single(answer.plan, answer.domain):
        count, one = names.fresh("count"), names.fresh(value)
        call = exp.Anonymous(this="any_value", expressions=[col(value).tree])
        items = (Item(one, Expr(call)), Item(count, Expr(exp.Count(this=exp.Star()))))
        right, value = n.Aggregate(right, answer.domain, items), one
    if outer is None and count is None and _is_always_one(right):
        rows.plan = n.Join((rows.plan, right))
        return col(value)
    present = names.fresh("present")
    right = n.Project(right, (*map(item, right.columns), Item(present, always())))
    around = outer.values if outer else ()
    on = tuple(same(col(a), col(b)) for a, b in zip(around, answer.domain, strict=True))
    rows.plan = n.Match(rows.plan, right, on, "left")
    if count is not None:
        return Expr(_checked(col(count), col(value)))
    if answer.on_empty is None:
        return col(value)
    moved = dict(zip(answer.domain, around, strict=True))
    return case_when(col(present), col(value), answer.on_empty[0].renamed(moved))


def _checked(count: Expr, value: Expr) -> exp.Expr:
    many = exp.GT(this=count.tree.copy(), expression=exp.Literal.number(1))
    error = exp.Anonymous(this="raise_error", expressions=[exp.Literal.string(MORE_THAN_ONE_ROW)])
    return exp.Case().when(many, error).else_(value.tree.copy())


def _is_single(plan: n.Node, domain: Sequence[str]) -> bool:
    """Whether there is at most one row for each value of the domain."""
    key = unique_key(plan)
    return key is not None and set(key) <= set(domain)


def _is_always_one(plan: n.Node) -> bool:
    while isinstance(plan, n.Project):
        plan = plan.child
    return isinstance(plan, n.Aggregate) and not plan.keys


def _values(rows: Rows, tree: exp.In) -> list[Expr]:
    parts = tree.this.expressions if isinstance(tree.this, exp.Tuple) else [tree.this]
    return [attached(rows, part) for part in parts]


def _equalities(values: Sequence[Expr], related: Related) -> list[Expr]:
    if len(values) != len(related.outputs):
        raise AssertionError("Spark has checked how many columns the subquery of IN gives")
    return [
        Expr(exp.EQ(this=operand(value), expression=operand(output)))
        for value, output in zip(values, related.outputs, strict=True)
    ]


def _on_equal(related: Related, equal: Sequence[Expr]) -> tuple[n.Node, tuple[Expr, ...]]:
    return related.plan, (*related.on, *equal)


def _on_unknown(
    values: Sequence[Expr], related: Related, equal: Sequence[Expr]
) -> list[tuple[n.Node, tuple[Expr, ...]]]:
    """Joins that together tell whether `x = y` is NULL for some row of the subquery."""
    inside = set(related.plan.columns)
    if len(values) > 1 or not related.outputs[0].columns <= inside:
        both = all_of(equal)
        assert both is not None
        return [(related.plan, (*related.on, _is_null(both)))]
    with_null = n.Filter(related.plan, _is_null(related.outputs[0]))
    return [(with_null, related.on), (related.plan, (*related.on, _is_null(values[0])))]


def _is_null(expr: Expr) -> Expr:
    return Expr(exp.Is(this=operand(expr), expression=exp.null()))


def _without_not(tree: exp.Expr) -> tuple[exp.Expr, bool]:
    is_not = False
    while isinstance(tree, (exp.Not, exp.Paren)):
        is_not = is_not != isinstance(tree, exp.Not)
        tree = tree.this
    return tree, is_not
