"""GROUP BY and HAVING, with GROUPING SETS, ROLLUP and CUBE: keys become columns, then each aggregate becomes one.

A grouping set is a copy of every input row in which the keys that are not of the set are NULL. The copies of one set
bear its number, so that a NULL of the data and a rolled-up NULL never meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item
from streamtables.sql.aggregates import (
    GROUPED,
    aggregates_in,
    bare,
    borrowed_aggregates,
    over_columns,
    over_nothing,
    wished_name,
)
from streamtables.sql.grouping_sets import grouping_sets, listed_keys
from streamtables.sql.ordering import limited_rows
from streamtables.sql.refuse import calls
from streamtables.sql.scope import has_query
from streamtables.sql.sessions import is_session, session_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.sql.select import Select


class Grouping:
    """The grouping of one SELECT."""

    def __init__(self, select: Select, tree: exp.Select) -> None:
        self.select, self.tree = select, tree.copy()
        group = self.tree.args.get("group")
        sets = grouping_sets(group)
        self.sets = sets and [tuple(_written(chosen, self.tree)) for chosen in sets]
        if self.sets is not None:
            listed = _written(listed_keys(group), self.tree)
            self.keys = list(dict.fromkeys([*listed, *(key for keys in self.sets for key in keys)]))
            if self.sets == [()] and not self.keys:
                self.sets = None
        elif group is not None and group.args.get("all"):
            self.keys = self._called_all() or [
                part.unalias() for part in self.tree.expressions if not aggregates_in(part)
            ]
        else:
            self.keys = list(dict.fromkeys(_written(group.expressions if group else (), self.tree)))

    def _called_all(self) -> list[exp.Expr]:
        """The column of that name, if there is one: Spark takes ALL for it."""
        return [
            exp.column(name, table=table or None, quoted=True)
            for table, name in self.select.scope
            if name.lower() == "all"
        ]

    def lowered(self) -> exp.Select:
        """Group the select's rows; gives the SELECT over the columns of the groups."""
        having = self.tree.args.get("having")
        qualify = self.tree.args.get("qualify")
        order = self.tree.args.get("order") if limited_rows(self.tree) else None
        parts = [
            *self.tree.expressions,
            *(clause.this for clause in (having, qualify) if clause),
            *((key.this for key in order.expressions) if order else ()),
        ]
        calls_in = [(*aggregates_in(part, self.keys), *borrowed_aggregates(part)) for part in parts]
        found = list(dict.fromkeys(call for made in calls_in for call in made))
        if not self.keys and not found:  # SELECT 1 FROM t HAVING TRUE: one row, whatever t holds
            found = [exp.Count(this=exp.Star())]
        over = self._aggregate(found)
        columns = self.select.plan.columns
        self.select.scope |= {(table, name): name for table in ("", GROUPED) for name in columns}
        if not self.keys and self.select.domain:
            self._on_empty(found, over, is_simple=not having and not order and not qualify)
        for clause in filter(None, (having, qualify)):
            clause.set("this", over_columns(clause.this, over))
        for key in order.expressions if order else ():
            key.set("this", over_columns(key.this, over))
        clauses = [clause.this for clause in (having, qualify) if clause]
        keys = [key.this for key in order.expressions] if order else []
        self.select.with_clock([*self.tree.expressions, *clauses, *keys])
        if having:
            self.select.keep(having.this)
        shown = [over_columns(part, over) for part in self.tree.expressions]
        self.tree.set("expressions", shown)
        return self.tree

    def _aggregate(self, found: Sequence[exp.Expr]) -> dict[exp.Expr, str]:
        """Put the Aggregate in place; gives the column of each key and of each call."""
        select, names = self.select, self.select.lower.names
        before = dict(select.scope)
        plain = {
            key: select.column(key, wished_name(key, "key"))
            if not has_query(key)
            else self._computed(key)
            for key in self.keys
            if not is_session(key)
        }
        around = (*select.domain, *plain.values())
        sessions = {
            key: session_column(select, key, around) for key in self.keys if is_session(key)
        }
        plain = {key: {**plain, **sessions}[key] for key in self.keys}
        numbers, masked = self._expanded(plain) if self.sets is not None else ([], plain)
        items, over = [], dict(masked)
        for call in found:
            name = next(calls(bare(call)))[0]
            if name in ("grouping", "grouping_id") and self.sets is not None:
                continue
            wish = names.fresh(wished_name(call, "value"))
            items.append(Item(wish, self._call(call, before)))
            over[call] = wish
        grouped = tuple(dict.fromkeys((*select.domain, *numbers, *masked.values())))
        needed = {name for part in items for name in part.expr.columns} | set(grouped)
        below = [item(name) for name in select.plan.columns if name in needed]
        child = n.Project(select.plan, tuple(below)) if below else select.plan
        select.plan = n.Aggregate(child, grouped, tuple(items))
        select.scope = {
            (key.table, key.name): name
            for key, name in masked.items()
            if isinstance(key, exp.Column)
        } | {column: name for column, name in before.items() if name in select.domain}
        if self.sets is not None:
            over |= self._levels(found, numbers[0], plain)
        return over

    def _computed(self, key: exp.Expr) -> str:
        from streamtables.sql.subquery import attached

        expr = attached(self.select, key)
        name = self.select.lower.names.fresh("key")
        plan = self.select.plan
        self.select.plan = n.Project(plan, (*map(item, plan.columns), Item(name, expr)))
        return name

    def _call(self, call: exp.Expr, scope: Mapping[tuple[str, str], str]) -> Expr:
        if not has_query(call):
            return self.select.lower.expr(call, dict(scope))
        from streamtables.sql.subquery import attached

        return attached(self.select, call)

    def _expanded(self, keys: Mapping[exp.Expr, str]) -> tuple[list[str], dict[exp.Expr, str]]:
        """Copy the rows once per set; gives the column of the set's number and the masked keys."""
        assert self.sets is not None
        select, names = self.select, self.select.lower.names
        number = names.fresh("grouping_set")
        rows = [exp.Tuple(expressions=[exp.Literal.number(i)]) for i in range(len(self.sets))]
        copies = n.Constant(Expr(exp.Values(expressions=rows)), (number,))
        joined = n.Join((select.plan, copies))
        masked = {key: names.fresh(name) for key, name in keys.items()}
        items = []
        for key, name in masked.items():
            shown = exp.Case().when(self._holds(key, number), col(keys[key]).tree)
            items.append(Item(name, Expr(shown)))
        select.plan = n.Project(joined, (*map(item, joined.columns), *items))
        return [number], masked

    def _holds(self, key: exp.Expr, number: str) -> exp.Expr:
        """Whether the set of a row holds a key."""
        assert self.sets is not None
        with_key = [exp.Literal.number(i) for i, chosen in enumerate(self.sets) if key in chosen]
        return exp.In(this=col(number).tree, expressions=with_key) if with_key else exp.false()

    def _levels(
        self, found: Sequence[exp.Expr], number: str, keys: Mapping[exp.Expr, str]
    ) -> dict[exp.Expr, str]:
        """GROUPING(key) and GROUPING_ID(keys…) as columns computed from the set's number."""
        select = self.select
        over, items = {}, []
        for call in found:
            name = next(calls(bare(call)))[0]
            if name not in ("grouping", "grouping_id"):
                continue
            asked = list(call.expressions) or list(keys)
            bits = [
                self._bit(key, number, 2 ** (len(asked) - 1 - i)) for i, key in enumerate(asked)
            ]
            kind = "tinyint" if name == "grouping" else "bigint"
            tree = bits[0] if bits else exp.Literal.number(0)
            for bit in bits[1:]:
                tree = exp.Add(this=tree, expression=bit)
            over[call] = select.lower.names.fresh(name)
            items.append(Item(over[call], Expr(exp.cast(exp.paren(tree), kind))))
        if items:
            select.plan = n.Project(select.plan, (*map(item, select.plan.columns), *items))
        return over

    def _bit(self, key: exp.Expr, number: str, value: int) -> exp.Expr:
        zero, one = exp.Literal.number(0), exp.Literal.number(value)
        return exp.Case().when(self._holds(key, number), zero).else_(one)

    def _on_empty(
        self, found: Sequence[exp.Expr], over: Mapping[exp.Expr, str], *, is_simple: bool
    ) -> None:
        """A subquery without GROUP BY gives a row for every outer value, also for those without rows."""
        from streamtables.sql.scope import Answer

        select = self.select
        empty = {over[call]: Expr(over_nothing(call)) for call in found}
        if is_simple and not any(map(has_query, self.tree.expressions)):
            select.on_empty = empty
            return
        columns = tuple((over[call], over[call]) for call in found)
        answer = Answer(select.plan, columns, select.domain, tuple(empty[c] for _, c in columns))
        filled = select.lower.filled(answer, select.outer)
        renamed = [Item(old, col(new)) for old, (_, new) in zip(empty, filled.columns, strict=True)]
        domain = [
            Item(old, col(new)) for old, new in zip(select.domain, filled.domain, strict=True)
        ]
        # The aggregate's own names stay, since the rest of the SELECT knows its columns by them.
        select.plan = n.Project(filled.plan, (*domain, *renamed))


def _written(keys: Sequence[exp.Expr], tree: exp.Select) -> list[exp.Expr]:
    """The keys, those that are a place in the list written out."""
    return [
        tree.expressions[int(key.name) - 1].unalias()
        if isinstance(key, exp.Literal) and key.is_int
        else key
        for key in keys
    ]
