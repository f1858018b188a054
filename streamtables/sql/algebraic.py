"""Aggregates that follow from sums: what is kept per group, how a change moves it, and the aggregates it gives.

    COUNT(*)   rows
    COUNT(x)   n(x)                       n(x) = number of rows where x is not NULL
    SUM(x)     s(x) if n(x) > 0           s(x) = sum of x, exact: integers and decimals, never floats
    AVG(x)     s(x) / n(x) if n(x) > 0
    COUNT_IF   n(CASE WHEN p THEN 1 END)

A row with weight w adds w to rows, w to n(x) where x is not NULL, and w · x to s(x). FILTER (WHERE p) makes x NULL
where p is not true. A group is there as long as rows > 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.plan.nodes import WEIGHT
from streamtables.sql.refuse import calls
from streamtables.sql.typed import is_float

if TYPE_CHECKING:
    from collections.abc import Mapping

ROWS = "_rows"


@dataclass(frozen=True)
class Algebra:
    """The sums of an aggregate: over rows, over a change, and what its items are in terms of them."""

    sums: tuple[Item, ...]
    moved: tuple[Item, ...]
    finals: tuple[tuple[str, str, str], ...]
    """For each item its name, what it is (rows, count, sum, average) and the number of its argument."""

    def items(self, types: Mapping[str, str]) -> tuple[Item, ...]:
        """The aggregate's items over its sums, whose types are those of the kept ones."""
        return tuple(Item(name, _final(kind, word, types)) for name, kind, word in self.finals)


def algebra_of(core: n.Node, floats: frozenset[str]) -> Algebra | None:
    """How an aggregate follows from sums, or None where it does not."""
    if not isinstance(core, n.Aggregate) or not core.items:
        return None
    words: dict[exp.Expr, str] = {}
    finals = []
    for item in core.items:
        found = _argument(item.expr.tree)
        if found is None or (found[0] in ("sum", "average") and is_float(found[1], floats)):
            return None
        kind, argument = found
        word = "" if kind == "rows" else words.setdefault(argument, str(len(words)))
        finals.append((item.name, kind, word))
    needs_sum = {word for _, kind, word in finals if kind in ("sum", "average")}
    sums = [Item(ROWS, Expr(exp.Count(this=exp.Star())))]
    weight = col(WEIGHT).tree
    moved = [Item(ROWS, Expr(exp.Sum(this=weight.copy())))]
    for argument, word in words.items():
        sums.append(Item(f"_n{word}", Expr(exp.Count(this=argument.copy()))))
        is_null = exp.Is(this=exp.paren(argument.copy()), expression=exp.null())
        counted = exp.Case().when(is_null, exp.Literal.number(0)).else_(weight.copy())
        moved.append(Item(f"_n{word}", Expr(exp.Sum(this=counted))))
        if word in needs_sum:
            sums.append(Item(f"_s{word}", Expr(exp.Sum(this=argument.copy()))))
            product = exp.Mul(this=exp.paren(argument.copy()), expression=weight.copy())
            moved.append(Item(f"_s{word}", Expr(exp.Sum(this=product))))
    return Algebra(tuple(sums), tuple(moved), tuple(finals))


def _argument(tree: exp.Expr) -> tuple[str, exp.Expr] | None:
    """What an aggregate call asks for, and of which expression; None where sums do not tell."""
    condition = None
    if isinstance(tree, exp.Filter):
        condition, tree = tree.expression.this, tree.this
    name = next(calls(tree))[0] if isinstance(tree, exp.Func) else ""
    if isinstance(tree, exp.Anonymous):
        if name != "count_if" or len(tree.expressions) != 1:
            return None
        one = exp.Literal.number(1)
        return "count", _only(exp.Case().when(tree.expressions[0].copy(), one), condition)
    argument = tree.this
    if argument is None or tree.expressions or isinstance(argument, exp.Distinct):
        return None
    if isinstance(tree, exp.Count):
        if isinstance(argument, exp.Star):
            return ("rows", argument) if condition is None else ("count", _only_one(condition))
        return "count", _only(argument, condition)
    kind = {"sum": "sum", "avg": "average"}.get(name)
    return (kind, _only(argument, condition)) if kind else None


def _only_one(condition: exp.Expr) -> exp.Expr:
    return exp.Case().when(condition.copy(), exp.Literal.number(1))


def _only(argument: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    if condition is None:
        return argument.copy()
    return exp.Case().when(condition.copy(), argument.copy())


def _final(kind: str, word: str, types: Mapping[str, str]) -> Expr:
    if kind == "rows":
        return col(ROWS)
    count = col(f"_n{word}")
    if kind == "count":
        return count
    # Adding up has widened the type; what follows from it must be what the aggregate itself gives.
    total = exp.cast(col(f"_s{word}").tree, types[f"_s{word}"])
    value = total if kind == "sum" else exp.Div(this=total, expression=count.tree.copy())
    some = exp.GT(this=count.tree.copy(), expression=exp.Literal.number(0))
    return Expr(exp.Case().when(some, value))
