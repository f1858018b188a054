"""ORDER BY … LIMIT … OFFSET: the rows that ROW_NUMBER over that order counts; ORDER BY alone orders no bag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item
from streamtables.sql.refuse import without_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.sql.lower import Lower


@dataclass(frozen=True)
class Ordering:
    """The keys of an ORDER BY: what they sort by, or the number of the column of the list that they name."""

    keys: tuple[exp.Ordered, ...]
    places: tuple[int | None, ...]

    @property
    def trees(self) -> list[exp.Expr]:
        """What is sorted by, where it is not a column of the list."""
        pairs = zip(self.keys, self.places, strict=True)
        return [key.this for key, place in pairs if place is None]

    def over(self, exprs: Sequence[Expr], items: Sequence[Item]) -> list[Expr]:
        """Each key as an expression: those of `trees` in order, or that of a column of the list."""
        rest = iter(exprs)
        return [next(rest) if place is None else items[place].expr for place in self.places]

    def like(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Keys with the directions of these."""
        return [_directed(key, expr) for key, expr in zip(self.keys, exprs, strict=True)]


def ordering(tree: exp.Expr, names: Sequence[str]) -> Ordering:
    """The ORDER BY of a query that takes some rows; `names` are the columns of its list."""
    order = tree.args.get("order")
    if order is None or not limited_rows(tree):
        return Ordering((), ())
    keys = tuple(order.expressions)
    if len(keys) == 1 and isinstance(
        keys[0].this, exp.Var
    ):  # ORDER BY ALL: the list, from left to right
        return Ordering(keys * len(names), tuple(range(len(names))))
    return Ordering(keys, tuple(_place(key.this, names) for key in keys))


def limited_rows(tree: exp.Expr) -> bool:
    """Whether a query takes only some of its rows."""
    return any(tree.args.get(clause) for clause in ("limit", "offset", "fetch"))


def take(
    lower: Lower, tree: exp.Expr, plan: n.Node, domain: Sequence[str], keys: Sequence[Expr]
) -> n.Node:
    """The rows that LIMIT and OFFSET leave, for each outer value; ties are broken by the rows themselves."""
    rank = lower.names.fresh("rank")
    order = exp.Order(expressions=[key.tree.copy() for key in keys])
    window = exp.Window(
        this=exp.Anonymous(this="row_number", expressions=[]),
        partition_by=[col(name).tree for name in domain],
        order=order if keys else None,
    )
    numbered = n.Window(plan, tuple(domain), (Item(rank, Expr(window)),))
    limit, offset = _count(tree, "limit"), _count(tree, "offset") or 0
    conditions: list[exp.Expr] = [
        exp.GT(this=col(rank).tree, expression=exp.Literal.number(offset))
    ]
    if limit is not None:
        last = exp.Literal.number(offset + limit)
        conditions.append(exp.LTE(this=col(rank).tree, expression=last))
    kept = n.Filter(numbered, Expr(exp.and_(*conditions)))
    return n.Project(kept, tuple(map(item, plan.columns)))


def _count(tree: exp.Expr, clause: str) -> int | None:
    found = tree.args.get(clause)
    if found is None:
        return None
    count = found.expression if found.expression else found.this
    if isinstance(count, exp.Var) or count.name.upper() == "ALL":
        return None
    value = simplify(count.copy())
    value = value.this if isinstance(value, exp.Cast) else value
    if isinstance(value, exp.Literal) and value.is_int:
        return int(value.name)
    raise without_rule("LIMIT", found)


def _place(tree: exp.Expr, names: Sequence[str]) -> int | None:
    if isinstance(tree, exp.Column) and not tree.table and tree.name in names:
        return list(names).index(tree.name)
    if isinstance(tree, exp.Literal) and tree.is_int and 0 < int(tree.name) <= len(names):
        return int(tree.name) - 1
    return None


def _directed(key: exp.Ordered, expr: Expr) -> Expr:
    made = key.copy()
    made.set("this", expr.tree.copy())
    return Expr(made)
