"""Aggregates that follow from what is kept per group: how a change moves it, and what the aggregates are of it.

    COUNT(*)        rows
    COUNT(x)        n(x)                       n(x) = number of rows where x is not NULL
    SUM(x)          s(x) if n(x) > 0           s(x) = sum of x, exact: integers and decimals, never floats
    AVG(x)          s(x) / n(x) if n(x) > 0
    COUNT_IF(p)     n(CASE WHEN p THEN 1 END)
    BOOL_AND(p)     n(CASE WHEN NOT p THEN 1 END) = 0 if n(p) > 0;  BOOL_OR(p): n(CASE WHEN p THEN 1 END) > 0
    MAX(x), MIN(x)  m(x), of values that are the same where they are equal: no floats, no collations

A row with weight w adds w to rows, w to n(x) where x is not NULL, and w · x to s(x). FILTER (WHERE p) makes x NULL
where p is not true. A group is there as long as rows > 0. What an extremum becomes when the last row that has it goes,
only the group's rows tell (rules/stateful.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.plan.nodes import WEIGHT
from streamtables.sql.refuse import calls
from streamtables.sql.typed import is_collated, is_float

if TYPE_CHECKING:
    from collections.abc import Mapping

ROWS = "_rows"
# A sum of DECIMALs has so many digits more than they, up to the most there are.
_MORE_IN_SUMS, _MOST_DIGITS = 10, 38
_KINDS = {"count": "count", "sum": "sum", "avg": "average", "max": "max", "min": "min"}
_KINDS |= dict.fromkeys(("bool_and", "every", "logical_and"), "bool_and")
_KINDS |= dict.fromkeys(("bool_or", "some", "any", "logical_or"), "bool_or")


@dataclass(frozen=True)
class Extreme:
    """A kept extremum: of a group's rows, of those that come and of those that go, and of both together."""

    name: str
    rows: Expr
    come: Expr
    gone: Expr
    is_max: bool

    def of(self, value: Expr) -> Expr:
        """The extremum of other values."""
        return _extreme(value.tree, is_max=self.is_max)

    def is_lost(self, now: Expr, come: Expr, gone: Expr) -> Expr:
        """Whether a row with the extremum went and none as good came: `now` is that of the old one and what came."""
        as_good, worse = (exp.GTE, exp.LT) if self.is_max else (exp.LTE, exp.GT)
        went = as_good(this=gone.tree.copy(), expression=now.tree.copy())
        nothing = exp.Is(this=come.tree.copy(), expression=exp.null())
        less = worse(this=come.tree.copy(), expression=gone.tree.copy())
        return Expr(exp.and_(went, exp.paren(exp.or_(nothing, less))))


@dataclass(frozen=True)
class Algebra:
    """What is kept of an aggregate: sums over rows and over a change, extremes, and what its items are of them."""

    sums: tuple[Item, ...]
    moved: tuple[Item, ...]
    extremes: tuple[Extreme, ...]
    finals: tuple[tuple[str, str, tuple[str, ...]], ...]
    """For each item its name, what it is (rows, count, sum, …) and the kept columns it is made of."""

    @property
    def counts(self) -> tuple[str, ...]:
        """What is kept that never is below zero."""
        return tuple(item.name for item in self.sums if not item.name.startswith("_s"))

    @property
    def is_exact(self) -> bool:
        """Whether its items are what the aggregate gives, to the last digit: no quotients."""
        return all(kind != "average" for _, kind, _ in self.finals)

    @property
    def kept(self) -> tuple[Item, ...]:
        """All that is kept, over rows."""
        return (*self.sums, *(Item(one.name, one.rows) for one in self.extremes))

    def items(self, types: Mapping[str, str]) -> tuple[Item, ...]:
        """The aggregate's items over what is kept, whose types are given."""
        return tuple(Item(name, _final(kind, parts, types)) for name, kind, parts in self.finals)


def algebra_of(
    core: n.Node, floats: frozenset[str], collated: frozenset[str] = frozenset()
) -> Algebra | None:
    """How an aggregate follows from what is kept, or None where it does not."""
    if not isinstance(core, n.Aggregate) or not core.items:
        return None
    making = _Making()
    finals = []
    for item in core.items:
        found = _argument(item.expr.tree)
        if found is None:
            return None
        kind, argument = found
        if kind in ("sum", "average", "max", "min") and is_float(argument, floats):
            return None
        if kind in ("max", "min") and is_collated(argument, collated):
            return None
        finals.append((item.name, kind, making.parts(kind, argument)))
    # A column of the query's own by such a name would be taken for it.
    kept = {name.lower() for name in (*making.sums, *making.extremes)}
    if any(key.lower() in kept for key in core.keys):
        return None
    sums, moved = tuple(making.sums.values()), tuple(making.moved.values())
    return Algebra(sums, moved, tuple(making.extremes.values()), tuple(finals))


class _Making:
    """Collects what has to be kept, each sum and each extremum once."""

    def __init__(self) -> None:
        weight = col(WEIGHT).tree
        self.sums = {ROWS: Item(ROWS, Expr(exp.Count(this=exp.Star())))}
        self.moved = {ROWS: Item(ROWS, Expr(exp.Sum(this=weight)))}
        self.extremes: dict[str, Extreme] = {}
        self._words: dict[exp.Expr, str] = {}

    def parts(self, kind: str, argument: exp.Expr) -> tuple[str, ...]:
        """The names of what an aggregate is made of."""
        if kind == "rows":
            return (ROWS,)
        if kind in ("max", "min"):
            return (self._extreme(argument, is_max=kind == "max"),)
        if kind in ("bool_and", "bool_or"):
            is_one = argument if kind == "bool_or" else exp.Not(this=exp.paren(argument.copy()))
            return self._count(argument), self._count(_one_if(is_one))
        count = self._count(argument)
        return (count,) if kind == "count" else (count, self._sum(argument))

    def _word(self, argument: exp.Expr) -> str:
        return self._words.setdefault(argument, str(len(self._words)))

    def _count(self, argument: exp.Expr) -> str:
        is_null = exp.Is(this=exp.paren(argument.copy()), expression=exp.null())
        weight = col(WEIGHT).tree
        counted = exp.Case().when(is_null, exp.Literal.number(0)).else_(weight)
        return self._add(f"_n{self._word(argument)}", exp.Count(this=argument.copy()), counted)

    def _sum(self, argument: exp.Expr) -> str:
        product = exp.Mul(this=exp.paren(argument.copy()), expression=col(WEIGHT).tree)
        return self._add(f"_s{self._word(argument)}", exp.Sum(this=argument.copy()), product)

    def _add(self, name: str, rows: exp.Expr, moved: exp.Expr) -> str:
        self.sums[name] = Item(name, Expr(rows))
        self.moved[name] = Item(name, Expr(exp.Sum(this=moved)))
        return name

    def _extreme(self, argument: exp.Expr, *, is_max: bool) -> str:
        name = f"_{'max' if is_max else 'min'}{self._word(argument)}"

        def only(kind: type[exp.Binary]) -> Expr:
            sign = kind(this=col(WEIGHT).tree, expression=exp.Literal.number(0))
            return _extreme(_only(argument, sign), is_max=is_max)

        over = _extreme(argument.copy(), is_max=is_max)
        self.extremes[name] = Extreme(name, over, only(exp.GT), only(exp.LT), is_max)
        return name


def _argument(tree: exp.Expr) -> tuple[str, exp.Expr] | None:
    """What an aggregate call asks for, and of which expression; None where what is kept does not tell."""
    condition = None
    if isinstance(tree, exp.Filter):
        condition, tree = tree.expression.this, tree.this
    name = next(calls(tree))[0] if isinstance(tree, exp.Func) else ""
    given = tree.expressions if isinstance(tree, exp.Anonymous) else [tree.this, *tree.expressions]
    if len(given) != 1 or given[0] is None or isinstance(given[0], exp.Distinct):
        return None
    argument = given[0]
    if name == "count" and isinstance(argument, exp.Star):
        return ("rows", argument) if condition is None else ("count", _one_if(condition))
    if name == "count_if":
        return "count", _only(_one_if(argument), condition)
    kind = _KINDS.get(name)
    return (kind, _only(argument, condition)) if kind else None


def _one_if(condition: exp.Expr) -> exp.Expr:
    return exp.Case().when(condition.copy(), exp.Literal.number(1))


def _only(argument: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    if condition is None:
        return argument.copy()
    return exp.Case().when(condition.copy(), argument.copy())


def _extreme(value: exp.Expr, *, is_max: bool) -> Expr:
    return Expr(exp.Max(this=value.copy()) if is_max else exp.Min(this=value.copy()))


def _final(kind: str, parts: tuple[str, ...], types: Mapping[str, str]) -> Expr:
    if kind in ("rows", "count", "max", "min"):
        return col(parts[0])
    zero = exp.Literal.number(0)
    count, other = (col(name).tree for name in parts)
    some = exp.GT(this=count, expression=zero)
    value: exp.Expr
    if kind == "bool_and":
        value = exp.EQ(this=other, expression=zero.copy())
    elif kind == "bool_or":
        value = exp.GT(this=other, expression=zero.copy())
    else:
        # Adding up has widened the type; what follows from it must be what the aggregate itself gives.
        value = exp.cast(other, types[parts[1]])
        if kind == "average":
            value = _average(value, count.copy(), types[parts[1]])
    return Expr(exp.Case().when(some, value))


def _average(total: exp.Expr, count: exp.Expr, kind: str) -> exp.Expr:
    """A sum over its count: of DECIMALs with the four digits more that Spark's AVG has, where the sum's type tells."""
    found = re.fullmatch(r"decimal\((\d+),(\d+)\)", kind.lower().replace(" ", ""))
    quotient = exp.Div(this=total, expression=count)
    if found is None or int(found[1]) == _MOST_DIGITS:
        return quotient
    digits, scale = int(found[1]) - _MORE_IN_SUMS + 4, int(found[2]) + 4
    return exp.cast(quotient, f"decimal({digits}, {scale})")
