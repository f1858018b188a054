"""USING and NATURAL behind outer joins: there a shared column is whichever side has it, not the first table's.

`a FULL JOIN b USING (x) JOIN c USING (x)` joins c ON coalesce(a.x, b.x) = c.x. Qualifying gives a.x = c.x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql.scope import conjuncts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MARK = "using"


def mark_using(tree: exp.Expr) -> None:
    """Remember which joins share columns, before qualifying writes ON in place of that."""
    for join in tree.find_all(exp.Join):
        if join.args.get("using") or join.method.upper() == "NATURAL":
            join.meta[_MARK] = True


def with_shared_columns(tree: exp.Expr) -> None:
    """Let the conditions of marked joins read what the joins before them share."""
    for select in tree.find_all(exp.Select):
        _put_in_groups(select)
        shared: dict[str, list[exp.Expr]] = {}
        for join in select.args.get("joins") or ():
            if join.meta.get(_MARK) and join.args.get("on"):
                on = [_shared(part, shared) for part in conjuncts(join.args["on"])]
                join.set("on", exp.and_(*on, copy=False))
                if join.kind.upper() not in ("SEMI", "ANTI"):
                    _share(on, shared, is_outer=join.side.upper() in ("RIGHT", "FULL"))


def _put_in_groups(select: exp.Select) -> None:
    """Let HAVING and QUALIFY read shared columns, which qualifying leaves there as they are.

    They become what qualifying writes in GROUP BY: the first of all joined columns that is not NULL.
    """
    sides: dict[str, dict[exp.Expr, None]] = {}
    for join in select.args.get("joins") or ():
        is_kept = join.kind.upper() not in ("SEMI", "ANTI")
        if is_kept and join.meta.get(_MARK) and join.args.get("on"):
            for column in join.args["on"].find_all(exp.Column, bfs=False):
                sides.setdefault(column.name, {})[column] = None
    for clause in filter(None, map(select.args.get, ("having", "qualify"))):
        for column in list(clause.find_all(exp.Column)):
            if not column.table and column.name in sides and column.parent_select is select:
                first, *others = (side.copy() for side in sides[column.name])
                column.replace(exp.Coalesce(this=first, expressions=others))


def _shared(condition: exp.Expr, shared: Mapping[str, Sequence[exp.Expr]]) -> exp.EQ:
    assert isinstance(condition, exp.EQ), condition
    columns = shared.get(condition.right.name, ())
    if len(columns) < 2:
        return condition
    first, *others = (column.copy() for column in columns)
    return exp.EQ(this=exp.Coalesce(this=first, expressions=others), expression=condition.right)


def _share(on: Sequence[exp.EQ], shared: dict[str, list[exp.Expr]], *, is_outer: bool) -> None:
    """After a LEFT or inner join the columns so far have the value; after another, also the new one may alone."""
    for condition in on:
        right = condition.right
        known = shared.setdefault(right.name, [])
        if not known:
            known.append(condition.left)
        if is_outer:
            known.append(right)
