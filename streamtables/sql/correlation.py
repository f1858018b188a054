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
    from collections.abc import Mapping

    from streamtables.plan import nodes as n
    from streamtables.sql.lower import Lower
    from streamtables.sql.scope import Scope


class Rows:
    """A relation that is being built, to which subqueries are tied: its plan so far, and what its names mean."""

    def __init__(
        self, lower: Lower, ctes: Mapping[str, exp.Expr], plan: n.Node, scope: Scope
    ) -> None:
        self.lower, self.ctes, self.plan, self.scope = lower, ctes, plan, scope

    def expr(self, tree: exp.Expr) -> Expr:
        """An expression over the rows so far."""
        return self.lower.expr(tree, self.scope)


@dataclass(frozen=True)
class Related:
    """A subquery as a relation, what ties it to the rows around it, and its columns."""

    plan: n.Node
    on: tuple[Expr, ...]
    outputs: tuple[Expr, ...]


def borrowed(rows: Rows, query: exp.Expr) -> Outer | None:
    """What a subquery reads of the rows around it; None where it stands for itself."""
    free = free_columns(query)
    missing = [name for name in free if name not in rows.scope]
    if missing:
        word = ".".join(filter(None, missing[0]))
        raise without_rule("CONSTRUCT", query, f"a subquery that reads {word} from outside")
    if not free:
        return None
    return Outer(rows.plan, free, tuple(rows.scope[name] for name in free))


def related_to(rows: Rows, query: exp.Expr) -> Related:
    """A subquery of which only matters which of its rows a row around it meets."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    outer = borrowed(rows, query)
    if outer is not None and _is_plain(query, set(outer.columns)):
        return _pulled(rows, query, outer)
    answer = rows.lower.filled(rows.lower.query(query, rows.ctes, outer), outer)
    values = outer.values if outer else ()
    on = tuple(same(col(a), col(b)) for a, b in zip(values, answer.domain, strict=True))
    return Related(answer.plan, on, tuple(col(name) for _, name in answer.columns))


def _pulled(rows: Rows, query: exp.Expr, outer: Outer) -> Related:
    """A plain subquery: its conditions on the rows around it become those of the join."""
    from streamtables.sql.select import Select

    assert isinstance(query, exp.Select)
    inner = Select(rows.lower, query, rows.ctes, None, outer.columns)
    on = []
    for condition in inner.read():
        if reads(condition, inner.free):
            on.append(condition)
        else:
            inner.keep(condition)
    scope = {**dict(zip(outer.columns, outer.values, strict=True)), **inner.scope}
    outputs = [rows.lower.expr(part.unalias(), scope) for part in query.expressions]
    exprs = [rows.lower.expr(condition, scope) for condition in on]
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
