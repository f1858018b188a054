"""Query tree to plan.

Within a plan every column has a name of its own, so lowering hands out fresh names and keeps, per SELECT, a scope
from (table alias, column) to that name. A correlated subquery is computed for all outer values at once: its relation
carries the columns it borrows (its domain), and is joined back to the rows around it on them.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.model import CLOCK
from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, always, case_when, col, item, same
from streamtables.sql.clock import COLUMNS, with_moments
from streamtables.sql.ctes import before, borrowing_inside, ctes_of, with_own_names
from streamtables.sql.ordering import limited_rows, take
from streamtables.sql.qualify import stand_in
from streamtables.sql.recursion import fixpoint, is_recursive
from streamtables.sql.refuse import refuse_inside, without_rule
from streamtables.sql.scope import NOW, Answer, Names, Outer, Scope
from streamtables.sql.select import Select

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamtables.model import Column


class Lower:
    """Lowers one query; `columns` holds the columns of each source."""

    def __init__(self, columns: Mapping[str, Sequence[Column]]) -> None:
        self._columns = columns
        self._sources = {word: key for key, word in stand_in(columns).items()}
        self._recursive: dict[str, tuple[n.Recur, Sequence[str]]] = {}
        self.names = Names()

    def query(
        self, tree: exp.Expr, ctes: Mapping[str, exp.Expr], outer: Outer | None = None
    ) -> Answer:
        """Any query: SELECT, set operation, or one of them in parentheses; `outer` is what it borrows."""
        ctes = {**ctes, **ctes_of(tree)}
        if isinstance(tree, exp.Select):
            return Select(self, tree, ctes, outer).answer()
        if isinstance(tree, exp.SetOperation):
            answer = self.set_operation(tree, ctes, outer)
        elif isinstance(tree, exp.Subquery):
            answer = self.query(tree.this, ctes, outer)
        else:
            raise without_rule("CONSTRUCT", tree, type(tree).__name__.upper())
        return self._ordered(tree, answer, outer)

    def set_operation(
        self, tree: exp.SetOperation, ctes: Mapping[str, exp.Expr], outer: Outer | None
    ) -> Answer:
        """UNION, INTERSECT and EXCEPT, with and without ALL: columns meet by position."""
        if tree.args.get("by_name"):
            raise without_rule("CONSTRUCT", tree, "UNION BY NAME")
        left, right = (self._arm(part, ctes, outer) for part in (tree.left, tree.right))
        is_all = not tree.args.get("distinct")
        plan: n.Node
        if isinstance(tree, exp.Union):
            both = (left.plan, right.plan)
            plan = n.UnionAll(both) if is_all else n.Union(*both)
        elif isinstance(tree, exp.Intersect):
            plan = n.Intersect(left.plan, right.plan, is_all)
        else:
            plan = n.Except(left.plan, right.plan, is_all)
        return Answer(plan, left.columns, left.domain)

    def table(self, tree: exp.Table, ctes: Mapping[str, exp.Expr]) -> Answer:
        """A source, a CTE (lowered anew at each use), or the recursive CTE that is being lowered."""
        name = tree.name
        if name in self._recursive:
            recur, written = self._recursive[name]
            names = tuple(map(self.names.fresh, written))
            pairs = zip(names, recur.names, strict=True)
            plan = n.Project(recur, tuple(Item(new, col(old)) for new, old in pairs))
            return Answer(plan, tuple(zip(written, names, strict=True)))
        if name in ctes:
            if is_recursive(name, ctes[name]):
                return fixpoint(self, name, ctes[name], before(name, ctes))
            return self._cte(name, ctes)
        if name in self._sources:
            return self._source(self._sources[name])
        raise without_rule("CONSTRUCT", tree, f"{type(tree).__name__} in FROM")

    @contextmanager
    def recursing(self, name: str, recur: n.Recur, columns: Sequence[str]) -> Iterator[None]:
        """While the step of a recursive CTE is lowered, its name means the rows found last."""
        self._recursive[name] = recur, columns
        yield
        del self._recursive[name]

    def clock(self) -> tuple[n.Node, Scope]:
        """The moment of the refresh, as one row."""
        fields = tuple(column.name for column in COLUMNS)
        names = tuple(map(self.names.fresh, fields))
        scope: Scope = {(NOW, field): name for field, name in zip(fields, names, strict=True)}
        return n.Scan(CLOCK, fields, names), scope

    def filled(self, answer: Answer, outer: Outer | None) -> Answer:
        """The answer with its rows for outer values that have none, where it always gives one."""
        if answer.on_empty is None or outer is None:
            return answer
        present = self.names.fresh("present")
        right = n.Project(answer.plan, (*map(item, answer.plan.columns), Item(present, always())))
        domain, names = outer.domain(self.names)
        on = tuple(same(col(a), col(b)) for a, b in zip(names, answer.domain, strict=True))
        plan = n.Match(domain, right, on, "left")
        moved = dict(zip(answer.domain, names, strict=True))
        items = []
        for (_, column), empty in zip(answer.columns, answer.on_empty, strict=True):
            value = case_when(col(present), col(column), empty.renamed(moved))
            items.append(Item(self.names.fresh(column), value))
        columns = tuple(
            (name, made.name) for (name, _), made in zip(answer.columns, items, strict=True)
        )
        return Answer(n.Project(plan, (*map(item, names), *items)), columns, names)

    def expr(self, tree: exp.Expr, scope: Scope, *, is_generator: bool = False) -> Expr:
        """A scalar or aggregate expression over the scope's columns."""
        refuse_inside(tree, is_generator=is_generator)

        def put(part: exp.Expr) -> exp.Expr:
            if not isinstance(part, exp.Column):
                return part
            if (part.table, part.name) in scope:
                return _under_its_name(part, scope[part.table, part.name])
            if part.table and not part.find_ancestor(exp.Lambda):
                raise without_rule("CONSTRUCT", part, f"{part.table}.{part.name}, borrowed here,")
            return part

        return Expr(tree.copy().transform(put, copy=False))

    def _arm(self, tree: exp.Expr, ctes: Mapping[str, exp.Expr], outer: Outer | None) -> Answer:
        """One side of a set operation: its domain, then its columns."""
        answer = self.filled(self.query(tree, ctes, outer), outer)
        columns = (*answer.domain, *(plan for _, plan in answer.columns))
        if len(set(columns)) == len(columns) and answer.plan.columns == columns:
            return answer
        items = tuple(Item(self.names.fresh(name), col(name)) for name in columns)
        names = tuple(made.name for made in items)
        width = len(answer.domain)
        pairs = zip((name for name, _ in answer.columns), names[width:], strict=True)
        return Answer(n.Project(answer.plan, items), tuple(pairs), names[:width])

    def _ordered(self, tree: exp.Expr, answer: Answer, outer: Outer | None) -> Answer:
        """ORDER BY and LIMIT around a set operation or parentheses: the order is over its columns."""
        if not limited_rows(tree):
            return answer
        answer = self.filled(answer, outer)
        scope: Scope = {("", name): plan for name, plan in answer.columns}
        order = tree.args.get("order")
        keys = [self.ordered(part, scope) for part in order.expressions] if order else []
        plan = take(self, tree, answer.plan, answer.domain, keys)
        return Answer(plan, answer.columns, answer.domain)

    def ordered(self, tree: exp.Expr, scope: Scope) -> Expr:
        """One key of ORDER BY."""
        return self.expr(tree, scope)

    def _cte(self, name: str, ctes: Mapping[str, exp.Expr]) -> Answer:
        cte = ctes[name]
        answer = self.query(cte.this, before(name, ctes))
        names = [column.name for column in cte.args["alias"].columns]
        plans = (plan for _, plan in answer.columns)
        columns = tuple(zip(names, plans, strict=True)) if names else answer.columns
        return Answer(answer.plan, columns)

    def _source(self, key: str) -> Answer:
        """A source table, all of its columns."""
        fields = tuple(column.name for column in self._columns[key])
        names = tuple(map(self.names.fresh, fields))
        known = (field.lower() for field in fields)
        types = tuple(column.type.lower() for column in self._columns[key])
        return Answer(n.Scan(key, fields, names, types), tuple(zip(known, names, strict=True)))


def lower_query(tree: exp.Query, columns: Mapping[str, Sequence[Column]]) -> n.Node:
    """The plan of a qualified query; its columns are in the query's order, under names of the plan's own."""
    lower = Lower(columns)
    answer = lower.query(with_moments(borrowing_inside(with_own_names(tree))), {})
    wanted = [plan for _, plan in answer.columns]
    if list(answer.plan.columns) == wanted:
        return answer.plan
    items = tuple(
        item(name) if name not in wanted[:i] else Item(lower.names.fresh(name), col(name))
        for i, name in enumerate(wanted)
    )
    return n.Project(answer.plan, items)


def _under_its_name(column: exp.Column, name: str) -> exp.Expr:
    """A column of the plan; as a field of `struct(…)` it says what the field is called."""
    made = col(name).tree.copy()
    call = column.parent
    if isinstance(call, exp.Anonymous) and call.name.lower() == "struct" and name != column.name:
        return exp.alias_(made, column.name, quoted=True)
    return made
