"""One SELECT to a plan: FROM, WHERE, GROUP BY, HAVING, windows, QUALIFY, the list, DISTINCT, ORDER BY … LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, all_of, col, is_present, item
from streamtables.sql import functions
from streamtables.sql.aggregates import aggregates_in, is_grouped
from streamtables.sql.clock import asks_now
from streamtables.sql.correlation import Rows
from streamtables.sql.from_ import From
from streamtables.sql.grouping import Grouping
from streamtables.sql.ordering import limited_rows, ordering, take
from streamtables.sql.refuse import calls, refuse_clauses, without_rule
from streamtables.sql.scope import (
    Answer,
    Outer,
    conjuncts,
    has_query,
    reads,
    tables_of,
)
from streamtables.sql.subquery import attached, keep
from streamtables.sql.windows import windowed, with_named_windows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.sql.lower import Lower


class Select(Rows):
    """The state of lowering one SELECT: the plan so far, what its names mean, and the domain it carries."""

    def __init__(
        self,
        lower: Lower,
        tree: exp.Select,
        ctes: Mapping[str, exp.Expr],
        outer: Outer | None,
        borrowed: Sequence[tuple[str, str]] = (),
    ) -> None:
        refuse_clauses(tree)
        super().__init__(lower, ctes, n.OneRow(), {})
        self.outer = outer
        self.tree = with_named_windows(tree)
        self.free = set(outer.columns if outer else borrowed)
        self.domain: tuple[str, ...] = ()
        self.on_empty: dict[str, Expr] | None = None

    def answer(self) -> Answer:
        """The whole SELECT."""
        for condition in self.correlated(self.read()):
            self.keep(condition)
        tree = self.tree
        if is_grouped(tree):
            tree = Grouping(self, tree).lowered()
        items = [(part.alias_or_name, part.unalias()) for part in self._generated(tree)]
        order = ordering(tree, [name for name, _ in items])
        qualify = tree.args.get("qualify")
        parts = [part for _, part in items] + order.trees + ([qualify.this] if qualify else [])
        self.on_empty = self.on_empty if not any(map(has_query, parts)) else None
        exprs = [attached(self, part) for part in windowed(self, parts)]
        if qualify:
            self.plan = n.Filter(self.plan, exprs.pop())
        named = [
            Item(self.lower.names.fresh(name or "column"), expr)
            for (name, _), expr in zip(items, exprs[: len(items)], strict=True)
        ]
        return self._finished(tree, items, named, order.over(exprs[len(items) :], named))

    def read(self) -> list[exp.Expr]:
        """FROM; gives the conditions that are for WHERE."""
        clause = From(self.lower, self.ctes, self.free)
        if self.outer and self._borrows_in_from():
            self._start_from_domain(clause)
        if any(map(asks_now, self._clauses())):
            clause.start(self.lower.clock)
        clause.read(self.tree)
        self.plan, self.scope = clause.plan, clause.scope
        if self.outer and self.domain:
            self.domain = tuple(self.scope[column] for column in self.outer.columns)
        where = self.tree.args.get("where")
        return [*clause.later, *(conjuncts(where.this) if where else ())]

    def correlated(self, conditions: list[exp.Expr]) -> list[exp.Expr]:
        """Bring in what is borrowed; gives the conditions that are left.

        Where every borrowed column is equal to something inside, that stands for it and the rows around are not read.
        """
        if self.outer is None or self.domain:
            return conditions
        found = self._equal_inside(conditions)
        if set(found) != set(self.outer.columns):
            clause = From(self.lower, self.ctes, set())
            self._start_from_domain(clause)
            clause.start(lambda: (self.plan, self.scope))
            self.plan, self.scope = clause.plan, {**clause.scope, **self.scope}
            return conditions
        names = [self.lower.names.fresh(name) for _, name in self.outer.columns]
        used = [found[column] for column in self.outer.columns]
        items = [
            Item(name, self.lower.expr(inside, self.scope))
            for name, (inside, _) in zip(names, used, strict=True)
        ]
        self.plan = n.Project(self.plan, (*map(item, self.plan.columns), *items))
        strict = [
            is_present(col(name))
            for name, (_, condition) in zip(names, used, strict=True)
            if isinstance(condition, exp.EQ)
        ]
        if condition := all_of(strict):
            self.plan = n.Filter(self.plan, condition)
        self.scope |= dict(zip(self.outer.columns, names, strict=True))
        self.domain = tuple(names)
        taken = [condition for _, condition in used]
        return [part for part in conditions if not any(part is other for other in taken)]

    def keep(self, condition: exp.Expr) -> None:
        """Only the rows for which a condition is true."""
        keep(self, condition)

    def with_clock(self, trees: Sequence[exp.Expr]) -> None:
        """Put the moment of the refresh beside the rows, where some expression reads it."""
        if any(map(asks_now, trees)):
            plan, scope = self.lower.clock()
            self.plan = n.Join((self.plan, plan))
            self.scope |= scope

    def column(self, tree: exp.Expr, wish: str) -> str:
        """An expression as a column of the plan, computed beside the others where it is not one yet."""
        expr = self.expr(tree)
        if expr.column in self.plan.columns:
            return str(expr.column)
        name = self.lower.names.fresh(wish)
        self.plan = n.Project(self.plan, (*map(item, self.plan.columns), Item(name, expr)))
        return name

    def _clauses(self) -> list[exp.Expr]:
        """What is computed for each row of FROM: in a grouped SELECT, of its list only what is inside an aggregate."""
        if not is_grouped(self.tree):
            return list(self.tree.iter_expressions())
        args = self.tree.args
        late = [
            *self.tree.expressions,
            *filter(None, map(args.get, ("having", "qualify", "order"))),
        ]
        early = [part for part in self.tree.iter_expressions() if not any(part is x for x in late)]
        return [*early, *(call for part in late for call in aggregates_in(part))]

    def _borrows_in_from(self) -> bool:
        """Whether something in FROM but the conditions of inner joins reads a borrowed column."""
        items = [found for found in tables_of(self.tree) if not isinstance(found, exp.Table)]
        on = [
            join.args["on"]
            for join in self.tree.args.get("joins") or ()
            if join.side and join.args.get("on")
        ]
        return any(reads(part, self.free) for part in (*items, *on))

    def _start_from_domain(self, clause: From) -> None:
        outer = self.outer
        assert outer is not None
        clause.start(lambda: outer.relation(self.lower.names))
        self.domain = tuple(clause.scope[column] for column in outer.columns)

    def _equal_inside(
        self, conditions: Sequence[exp.Expr]
    ) -> dict[tuple[str, str], tuple[exp.Expr, exp.Expr]]:
        """For borrowed columns: what inside is equal to them, and the condition that says so."""
        found: dict[tuple[str, str], tuple[exp.Expr, exp.Expr]] = {}
        for condition in conditions:
            if not isinstance(condition, (exp.EQ, exp.NullSafeEQ)) or has_query(condition):
                continue
            sides = (condition.left, condition.right)
            for out, inside in (sides, sides[::-1]):
                key = (out.table, out.name) if isinstance(out, exp.Column) else ("", "")
                if key in self.free and not reads(inside, self.free):
                    found.setdefault(key, (inside, condition))
        return found

    def _generated(self, tree: exp.Select) -> list[exp.Expr]:
        """The list, with the columns that explode and its like make in the place of their call."""
        items: list[exp.Expr] = []
        for part in tree.expressions:
            call = part.unalias() if not isinstance(part, exp.Aliases) else part.this
            name = next(calls(call), ("", call))[0] if isinstance(call, exp.Func) else ""
            if name not in functions.GENERATORS:
                items.append(part)
                continue
            is_several = isinstance(part, exp.Aliases)
            names = [found.name for found in part.expressions] if is_several else [part.alias]
            if not all(names):
                raise without_rule("CONSTRUCT", part, f"{name}() without names for its columns")
            fresh = tuple(map(self.lower.names.fresh, names))
            made = self.lower.expr(call, self.scope, is_generator=True)
            self.plan = n.Generate(self.plan, made, False, fresh)
            self.scope |= {("", column): column for column in fresh}
            pairs = zip(names, fresh, strict=True)
            items += [exp.alias_(col(plan).tree, written) for written, plan in pairs]
        return items

    def _finished(
        self,
        tree: exp.Select,
        items: Sequence[tuple[str, exp.Expr]],
        named: list[Item],
        order: list[Expr],
    ) -> Answer:
        """The list, DISTINCT, and the first rows of an order that may read what the list does not show."""
        hidden = [Item(self.lower.names.fresh("order"), expr) for expr in order]
        shown = (*map(item, self.domain), *named)
        is_limited = limited_rows(tree)
        distinct = tree.args.get("distinct")
        if distinct and distinct.args.get("on"):
            raise without_rule("CONSTRUCT", distinct, "DISTINCT ON")
        columns = tuple((name, part.name) for (name, _), part in zip(items, named, strict=True))
        if distinct:
            self.plan = n.Distinct(n.Project(self.plan, shown))
            hidden = [Item(part.name, _over(part.expr, named)) for part in hidden]
            if is_limited and hidden:
                self.plan = n.Project(self.plan, (*map(item, self.plan.columns), *hidden))
        else:
            self.plan = n.Project(self.plan, (*shown, *(hidden if is_limited else ())))
        if is_limited:
            keys = ordering(tree, [name for name, _ in items]).like(
                [col(part.name) for part in hidden]
            )
            taken = take(self.lower, tree, self.plan, self.domain, keys)
            self.plan = n.Project(taken, tuple(item(part.name) for part in shown))
            return Answer(self.plan, columns, self.domain)
        return Answer(self.plan, columns, self.domain, self._empty(named))

    def _empty(self, named: Sequence[Item]) -> tuple[Expr, ...] | None:
        if self.on_empty is None:
            return None
        return tuple(part.expr.replaced(self.on_empty) for part in named)


def _over(expr: Expr, named: Sequence[Item]) -> Expr:
    """An expression of the input as one of the answer, where the answer shows it."""
    shown = {part.expr: part.name for part in named}
    return col(shown[expr]) if expr in shown else expr
