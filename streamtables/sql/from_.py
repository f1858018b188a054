"""FROM: sources, CTEs, derived tables, joins of every kind, laterals, VALUES."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item, same
from streamtables.sql.correlation import Rows
from streamtables.sql.implied import alias_columns
from streamtables.sql.refuse import calls, without_rule
from streamtables.sql.scope import (
    Answer,
    Outer,
    Scope,
    conjuncts,
    free_columns,
    has_not_in,
    has_query,
    is_joined,
    reads,
)
from streamtables.sql.subquery import attached_inside, keep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamtables.sql.lower import Lower

    Relation = Callable[[], tuple[n.Node, Scope]]
    """Makes a relation, under names of its own each time."""


class From:
    """The FROM of one SELECT: inputs met so far, conditions between them, names.

    Conditions of inner joins that read columns from outside, or hold subqueries, wait in `later` for WHERE.
    """

    def __init__(
        self, lower: Lower, ctes: Mapping[str, exp.Expr], free: set[tuple[str, str]]
    ) -> None:
        self._lower, self._ctes, self._free = lower, ctes, free
        self._inputs: list[n.Node] = []
        self._on: list[Expr] = []
        self._unwritten: list[Relation] = []
        self.scope: Scope = {}
        self.later: list[exp.Expr] = []

    @property
    def plan(self) -> n.Node:
        """Everything joined."""
        if not self._inputs:
            return n.OneRow()
        if len(self._inputs) == 1 and not self._on:
            return self._inputs[0]
        return n.Join(tuple(self._inputs), tuple(self._on))

    def start(self, relation: Relation) -> None:
        """Begin with a relation that is not written in FROM, whose rows every row is to stand beside."""
        plan, scope = relation()
        self._inputs.append(plan)
        self.scope |= scope
        self._unwritten.append(relation)

    def read(self, tree: exp.Select) -> None:
        """Take in the whole clause."""
        start = tree.args.get("from_")
        if start is not None:
            self._inner(start.this, None)
            self._rest(start.this)
        self._rest(tree)

    def _rest(self, tree: exp.Expr) -> None:
        """Joins and lateral views that are written behind one item, or behind them all."""
        for join in tree.args.get("joins") or ():
            self._join(join)
        for lateral in tree.args.get("laterals") or ():
            self._generate(lateral, is_outer=bool(lateral.args.get("outer")))

    def _join(self, join: exp.Join) -> None:
        words = {join.side.upper(), join.kind.upper()} - {"", "OUTER", "INNER", "CROSS"}
        if join.method and join.method.upper() != "NATURAL":
            raise without_rule("CONSTRUCT", join, f"{join.method} JOIN")
        on = join.args.get("on")
        if not words:
            self._inner(join.this, on)
        else:
            self._match(join.this, on, words)
        self._rest(join.this)

    def _inner(self, tree: exp.Expr, on: exp.Expr | None) -> None:
        if isinstance(tree, exp.Lateral) and not isinstance(tree.this, exp.Query):
            self._generate(tree, is_outer=False)
        else:
            plan, scope, between = self._table(tree)
            self._inputs.append(plan)
            self._on += between
            self.scope |= scope
        for condition in conjuncts(on) if on else ():
            if has_query(condition) or reads(condition, self._free - self.scope.keys()):
                self.later.append(condition)
            else:
                self._on.append(self._lower.expr(condition, self.scope))

    def _match(self, tree: exp.Expr, on: exp.Expr | None, words: set[str]) -> None:
        if words & {"RIGHT", "FULL"}:
            self._settle(tree)
        if isinstance(tree, exp.Lateral) and not isinstance(tree.this, exp.Query):
            self._generate(tree, is_outer=on is not None)
            return
        plan, scope, between = self._table(tree)
        left = Rows(self._lower, self._ctes, self.plan, dict(self.scope))
        right = Rows(self._lower, self._ctes, plan, scope)
        if words & {"RIGHT", "FULL"}:
            between += self._stand_beside(right)
        both = {**left.scope, **right.scope}
        conditions = (
            [self._without_queries(part, left, right) for part in conjuncts(on)] if on else []
        )
        exprs = (*between, *(self._lower.expr(condition, both) for condition in conditions))
        if "RIGHT" in words:
            joined: n.Node = n.Match(right.plan, left.plan, exprs, "left")
        else:
            kind = next(word for word in ("SEMI", "ANTI", "FULL", "LEFT") if word in words)
            joined = n.Match(left.plan, right.plan, exprs, kind.lower())
        self.scope = both if {"SEMI", "ANTI"}.isdisjoint(words) else left.scope
        if "FULL" in words:
            joined = self._unwritten_of_either(joined, left.scope, right.scope)
        self._inputs, self._on = [joined], []

    def _stand_beside(self, right: Rows) -> list[Expr]:
        """Put what is not written beside rows that an outer join keeps; gives what ties it to the left side's."""
        ties = []
        for relation in self._unwritten:
            plan, scope = relation()
            right.plan = n.Join((plan, right.plan))
            right.scope |= scope
            ties += [same(col(self.scope[name]), col(scope[name])) for name in scope]
        return ties

    def _unwritten_of_either(self, joined: n.Node, left: Scope, right: Scope) -> n.Node:
        """After a FULL JOIN what is not written is that of whichever side has a row."""
        items = []
        for name in left.keys() & right.keys():
            sides = [col(side[name]).tree for side in (left, right)]
            self.scope[name] = self._lower.names.fresh(name[1])
            either = exp.Coalesce(this=sides[0], expressions=sides[1:])
            items.append(Item(self.scope[name], Expr(either)))
        return n.Project(joined, (*map(item, joined.columns), *items)) if items else joined

    def _without_queries(self, condition: exp.Expr, left: Rows, right: Rows) -> exp.Expr:
        """A condition of an outer join, its subqueries made columns of the one side that each reads."""
        if has_not_in(condition):
            # There Spark takes NOT IN for true where it is unknown.
            raise without_rule("SUBQUERY", condition, "NOT IN in ON of an outer join")

        def side_of(found: exp.Expr) -> Rows:
            borrowed = set(free_columns(found))
            sides = [rows for rows in (left, right) if borrowed & rows.scope.keys()]
            if len(sides) > 1:
                raise without_rule("SUBQUERY", found, "ON of an outer join that reads both sides")
            return sides[0] if sides else right

        return attached_inside(condition, side_of)

    def _settle(self, tree: exp.Expr) -> None:
        """Filter by the conditions that wait for WHERE, before rows are put beside these that WHERE would drop."""
        if any(reads(condition, self._free - self.scope.keys()) for condition in self.later):
            raise without_rule("CONSTRUCT", tree, "a borrowed column in ON below an outer join")
        rows = Rows(self._lower, self._ctes, self.plan, self.scope)
        for condition in self.later:
            keep(rows, condition)
        if self.later:
            self._inputs, self._on, self.later = [rows.plan], [], []

    def _table(self, tree: exp.Expr) -> tuple[n.Node, Scope, list[Expr]]:
        """One item of FROM, its names, and what ties it to the items before it where it borrows from them."""
        if is_joined(tree):
            nested = From(self._lower, self._ctes, self._free)
            nested._inner(tree.this, None)
            if not is_joined(tree.this):
                nested._rest(tree.this)
            nested._rest(tree)
            nested._settle(tree)
            return nested.plan, nested.scope, []
        if isinstance(tree, exp.Lateral) or (isinstance(tree, exp.Subquery) and free_columns(tree)):
            return self._lateral(tree)
        answer = self._answer(tree)
        return answer.plan, named(answer, tree, tree.alias_or_name), []

    def _answer(self, tree: exp.Expr) -> Answer:
        if isinstance(tree, exp.Table):
            if isinstance(tree.this, exp.Identifier):
                return self._lower.table(tree, self._ctes)
            return self._constant(tree)
        if isinstance(tree, exp.Values):
            return self._constant(tree)
        if isinstance(tree, exp.Subquery):
            return self._lower.query(tree, self._ctes)
        raise without_rule("CONSTRUCT", tree, f"{type(tree).__name__} in FROM")

    def _constant(self, tree: exp.Expr) -> Answer:
        """VALUES, or a function that makes a table."""
        names = tuple(column.name for column in alias_columns(tree))
        if not names:
            raise without_rule("CONSTRUCT", tree, "a table function without names for its columns")
        for part in tree.find_all(exp.Column):
            raise without_rule("CONSTRUCT", part, "a column inside VALUES")
        fresh = tuple(map(self._lower.names.fresh, names))
        return Answer(n.Constant(Expr(tree.copy()), fresh), tuple(zip(names, fresh, strict=True)))

    def _lateral(self, tree: exp.Expr) -> tuple[n.Node, Scope, list[Expr]]:
        """LATERAL (query): the query for each different value of the columns that it borrows.

        A derived table inside a correlated subquery may borrow what is outside without that word.
        """
        free = free_columns(tree.this)
        outer = Outer(self.plan, free, tuple(self.scope[column] for column in free))
        answer = self._lower.filled(self._lower.query(tree.this, self._ctes, outer), outer)
        pairs = zip(outer.values, answer.domain, strict=True)
        ties = [same(col(value), col(name)) for value, name in pairs]
        return answer.plan, named(answer, tree, tree.alias), ties

    def _generate(self, tree: exp.Lateral, *, is_outer: bool) -> None:
        """LATERAL VIEW explode(…), or LATERAL explode(…)."""
        names = tuple(column.name for column in alias_columns(tree))
        if not names:
            name = next(calls(tree.this))[0]
            raise without_rule("CONSTRUCT", tree, f"{name}() without names for its columns")
        fresh = tuple(map(self._lower.names.fresh, names))
        call = self._lower.expr(tree.this, self.scope, is_generator=True)
        self._inputs, self._on = [n.Generate(self.plan, call, is_outer, fresh)], []
        pairs = zip(names, fresh, strict=True)
        self.scope |= {(tree.alias, name): plan for name, plan in pairs}


def named(answer: Answer, tree: exp.Expr, alias: str) -> Scope:
    """The scope that an item of FROM brings: its alias may rename its columns."""
    names = [column.name for column in alias_columns(tree)]
    plans = [plan for _, plan in answer.columns]
    pairs = zip(names, plans, strict=True) if names else answer.columns
    return {(alias, name): plan for name, plan in pairs}
