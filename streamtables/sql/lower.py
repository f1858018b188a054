"""Query tree to plan: one `lower_<clause>` per clause.

Within a plan every column has a name of its own, so lowering hands out fresh names and keeps, per SELECT, a scope
from (table alias, column) to that name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.sql.grouping import aggregates_in, is_grouped, over_columns, wished_name
from streamtables.sql.qualify import stand_in
from streamtables.sql.refuse import (
    reads_clock,
    refuse_clauses,
    refuse_grouping,
    refuse_inside,
    refuse_join,
    without_rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamtables.model import Column

Scope = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Answer:
    """A relation and its columns as SQL knows them: pairs of (SQL name, plan name)."""

    plan: n.Node
    columns: tuple[tuple[str, str], ...]


class Names:
    """Hands out column names that differ from each other whatever their case.

    None begins with an underscore: those names are the rules' own.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, wish: str) -> str:
        """A name like the wish that was not handed out before."""
        wish = f"c{wish}" if wish.startswith("_") else wish
        name, count = wish, 1
        while name.lower() in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name.lower())
        return name


class Lower:
    """Lowers one query; `columns` holds the columns of each source."""

    def __init__(self, columns: Mapping[str, Sequence[Column]]) -> None:
        self._columns = columns
        self._sources = {word: key for key, word in stand_in(columns).items()}
        self._names = Names()

    def query(self, tree: exp.Expr, ctes: Mapping[str, exp.Expr]) -> Answer:
        """Any query: SELECT, set operation, or one of them in parentheses."""
        ctes = {**ctes, **_ctes_of(tree)}
        for clause in ("limit", "offset", "fetch"):
            if tree.args.get(clause):
                raise without_rule("LIMIT", tree.args[clause])
        if isinstance(tree, exp.Select):
            return self.select(tree, ctes)
        if isinstance(tree, exp.SetOperation):
            return self.set_operation(tree, ctes)
        if isinstance(tree, exp.Subquery):
            return self.query(tree.this, ctes)
        raise without_rule("CONSTRUCT", tree, type(tree).__name__.upper())

    def set_operation(self, tree: exp.SetOperation, ctes: Mapping[str, exp.Expr]) -> Answer:
        """UNION, INTERSECT and EXCEPT, with and without ALL: columns meet by position."""
        if tree.args.get("by_name"):
            raise without_rule("CONSTRUCT", tree, "UNION BY NAME")
        left, right = self.query(tree.left, ctes), self.query(tree.right, ctes)
        is_all = not tree.args.get("distinct")
        plan: n.Node
        if isinstance(tree, exp.Union):
            both = (left.plan, right.plan)
            plan = n.UnionAll(both) if is_all else n.Union(*both)
        elif isinstance(tree, exp.Intersect):
            plan = n.Intersect(left.plan, right.plan, is_all)
        else:
            plan = n.Except(left.plan, right.plan, is_all)
        names = [name for name, _ in left.columns]
        return Answer(plan, tuple(zip(names, plan.columns, strict=True)))

    def select(self, tree: exp.Select, ctes: Mapping[str, exp.Expr]) -> Answer:
        """SELECT: from, where, group, having, projection, distinct, in this order."""
        refuse_clauses(tree)
        plan, scope = self.from_(tree, ctes)
        if where := tree.args.get("where"):
            plan = n.Filter(plan, self.expr(where.this, scope))
        if is_grouped(tree):
            plan, scope, tree = self.group(tree, plan, scope)
        items = [
            (part.alias_or_name, self.expr(part.unalias(), scope)) for part in tree.expressions
        ]
        named = tuple(Item(self._names.fresh(name or "column"), expr) for name, expr in items)
        plan = n.Project(plan, named)
        if distinct := tree.args.get("distinct"):
            if distinct.args.get("on"):
                raise without_rule("CONSTRUCT", distinct, "DISTINCT ON")
            plan = n.Distinct(plan)
        return Answer(plan, tuple(zip((name for name, _ in items), plan.columns, strict=True)))

    def from_(self, tree: exp.Select, ctes: Mapping[str, exp.Expr]) -> tuple[n.Node, Scope]:
        """FROM and its joins: one n-way join."""
        start = tree.args.get("from_")
        if start is None:
            return n.OneRow(), {}
        plan, scope = self.table(start.this, ctes)
        inputs: list[n.Node] = [plan]
        on: list[Expr] = []
        for join in tree.args.get("joins") or ():
            refuse_join(join)
            plan, more = self.table(join.this, ctes)
            inputs.append(plan)
            scope |= more
            if condition := join.args.get("on"):
                on += Expr(self.expr(condition, scope).tree).conjuncts()
        return (n.Join(tuple(inputs), tuple(on)) if len(inputs) > 1 else inputs[0]), scope

    def table(self, tree: exp.Expr, ctes: Mapping[str, exp.Expr]) -> tuple[n.Node, Scope]:
        """One item of FROM: a source, a CTE (lowered anew at each use) or a query in parentheses."""
        for decoration in ("pivots", "laterals", "joins"):
            if tree.args.get(decoration):
                raise without_rule("CONSTRUCT", tree, decoration.upper())
        if isinstance(tree, exp.Table) and tree.name in self._sources and tree.name not in ctes:
            answer = self.source(self._sources[tree.name])
        elif isinstance(tree, exp.Table) and tree.name in ctes:
            answer = self.query(ctes[tree.name], _before(tree.name, ctes))
        elif isinstance(tree, exp.Subquery):
            answer = self.query(tree.this, {**ctes, **_ctes_of(tree)})
        elif isinstance(tree, exp.Lateral):
            raise without_rule("LATERAL", tree, "LATERAL")
        else:
            raise without_rule("CONSTRUCT", tree, f"{type(tree).__name__} in FROM")
        names = [column.name for column in _alias_columns(tree)]
        plans = [plan for _, plan in answer.columns]
        named = zip(names, plans, strict=True) if names else answer.columns
        return answer.plan, {(tree.alias_or_name, name): plan for name, plan in named}

    def source(self, key: str) -> Answer:
        """A source table, all of its columns."""
        fields = tuple(column.name for column in self._columns[key])
        names = tuple(self._names.fresh(field) for field in fields)
        known = (field.lower() for field in fields)
        return Answer(n.Scan(key, fields, names), tuple(zip(known, names, strict=True)))

    def group(
        self, tree: exp.Select, plan: n.Node, scope: Scope
    ) -> tuple[n.Node, Scope, exp.Select]:
        """GROUP BY and HAVING: the keys become columns, then each aggregate becomes one.

        Gives back the SELECT rewritten over those columns, so that the projection is an ordinary one.
        """
        tree = tree.copy()
        group = tree.args.get("group")
        keys = list(group.expressions) if group else []
        refuse_grouping(group)
        key_items = [
            Item(self._names.fresh(wished_name(key, "key")), self.expr(key, scope)) for key in keys
        ]
        over: dict[exp.Expr, str] = {
            key: item.name for key, item in zip(keys, key_items, strict=True)
        }
        having = tree.args.get("having")
        parts = [*tree.expressions, *([having.this] if having else [])]
        calls_found = list(dict.fromkeys(call for part in parts for call in aggregates_in(part)))
        if not keys and not calls_found:  # SELECT 1 FROM t HAVING TRUE: one row, whatever t holds
            calls_found = [exp.Count(this=exp.Star())]
        aggregates = [
            Item(self._names.fresh(wished_name(call, "value")), self.expr(call, scope))
            for call in calls_found
        ]
        over |= {call: item.name for call, item in zip(calls_found, aggregates, strict=True)}
        below = _keys_below(plan, key_items, aggregates)
        plan = n.Aggregate(below, tuple(item.name for item in key_items), tuple(aggregates))
        scope = {("", name): name for name in plan.columns}
        if having:
            plan = n.Filter(plan, self.expr(over_columns(having.this, over), scope))
        tree.set("expressions", [over_columns(part, over) for part in tree.expressions])
        return plan, scope, tree

    def expr(self, tree: exp.Expr, scope: Scope) -> Expr:
        """A scalar or aggregate expression over the scope's columns."""
        refuse_inside(tree)

        def put(part: exp.Expr) -> exp.Expr:
            if isinstance(part, exp.Column) and (part.table, part.name) in scope:
                return col(scope[part.table, part.name]).tree.copy()
            return part

        return Expr(tree.copy().transform(put, copy=False))


def lower_query(tree: exp.Query, columns: Mapping[str, Sequence[Column]]) -> n.Node:
    """The plan of a qualified query; its columns are in the query's order, under names of the plan's own."""
    if clock := reads_clock(tree):
        raise without_rule("TIME_DEPENDENT", clock, f"{clock.sql(dialect='spark')}")
    return Lower(columns).query(tree, {}).plan


def _keys_below(plan: n.Node, keys: Sequence[Item], aggregates: Iterable[Item]) -> n.Node:
    """The input of an aggregate: its keys as columns, and the columns that its aggregates read."""
    needed = {name for item in aggregates for name in item.expr.columns}
    kept = [Item(name, col(name)) for name in plan.columns if name in needed]
    return n.Project(plan, (*keys, *kept)) if keys or kept else plan


def _ctes_of(tree: exp.Expr) -> dict[str, exp.Expr]:
    with_ = tree.args.get("with_")
    if with_ is None:
        return {}
    if with_.args.get("recursive"):
        raise without_rule("RECURSION", with_)
    return {cte.alias: cte.this for cte in with_.expressions}


def _before(name: str, ctes: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The CTEs that a CTE sees: those defined before it."""
    names = list(ctes)
    return {other: ctes[other] for other in names[: names.index(name)]}


def _alias_columns(tree: exp.Expr) -> list[exp.Expr]:
    alias = tree.args.get("alias")
    return list(alias.columns) if alias else []
