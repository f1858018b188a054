"""How a subquery is tied to the rows around it: by the conditions it puts on them, or by the values it borrows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import Expr, col, same
from streamtables.sql import functions
from streamtables.sql.aggregates import is_grouped
from streamtables.sql.ordering import limited_rows
from streamtables.sql.refuse import calls, without_rule
from streamtables.sql.scope import Outer, conjuncts, free_columns, has_query, reads, tables_of

if TYPE_CHECKING:
    from streamtables.plan import nodes as n
    from streamtables.sql.select import Select


@dataclass(frozen=True)
class Related:
    """A subquery as a relation, what ties it to the rows around it, and its columns."""

    plan: n.Node
    on: tuple[Expr, ...]
    outputs: tuple[Expr, ...]


def borrowed(select: Select, query: exp.Expr) -> Outer | None:
    """What a subquery reads of the rows around it; None where it stands for itself."""
    free = free_columns(query)
    missing = [name for name in free if name not in select.scope]
    if missing:
        word = ".".join(filter(None, missing[0]))
        raise without_rule("CONSTRUCT", query, f"a subquery that reads {word} from outside")
    if not free:
        return None
    return Outer(select.plan, free, tuple(select.scope[name] for name in free))


def related_to(select: Select, query: exp.Expr) -> Related:
    """A subquery of which only matters which of its rows a row around it meets."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    outer = borrowed(select, query)
    if outer is not None and _is_plain(query, set(outer.columns)):
        return _pulled(select, query, outer)
    answer = select.lower.filled(select.lower.query(query, select.ctes, outer), outer)
    values = outer.values if outer else ()
    on = tuple(same(col(a), col(b)) for a, b in zip(values, answer.domain, strict=True))
    return Related(answer.plan, on, tuple(col(name) for _, name in answer.columns))


def _pulled(select: Select, query: exp.Expr, outer: Outer) -> Related:
    """A plain subquery: its conditions on the rows around it become those of the join."""
    assert isinstance(query, exp.Select)
    inner = type(select)(select.lower, query, select.ctes, None, outer.columns)
    on = []
    for condition in inner.read():
        if reads(condition, inner.free):
            on.append(condition)
        else:
            inner.keep(condition)
    scope = {**dict(zip(outer.columns, outer.values, strict=True)), **inner.scope}
    outputs = [select.lower.expr(part.unalias(), scope) for part in query.expressions]
    exprs = [select.lower.expr(condition, scope) for condition in on]
    return Related(inner.plan, tuple(exprs), tuple(outputs))


def _is_plain(query: exp.Expr, free: set[tuple[str, str]]) -> bool:
    """Whether a subquery is FROM and WHERE alone, and borrows only in conditions without further subqueries."""
    if not isinstance(query, exp.Select) or is_grouped(query) or limited_rows(query):
        return False
    if query.args.get("with_") or query.args.get("qualify") or query.find(exp.Window):
        return False
    if any(part.find(exp.Star, exp.Query) for part in query.expressions) or any(
        name in functions.GENERATORS for name, _ in calls(query)
    ):
        return False
    items = [found for found in tables_of(query) if not isinstance(found, exp.Table)]
    joins = query.args.get("joins") or ()
    items += [join.args["on"] for join in joins if join.side and join.args.get("on")]
    where = query.args.get("where")
    on = [join.args["on"] for join in joins if join.args.get("on")]
    conditions = [
        part for tree in (*on, *([where.this] if where else ())) for part in conjuncts(tree)
    ]
    return not any(reads(part, free) for part in items) and not any(
        has_query(part) and reads(part, free) for part in conditions
    )
