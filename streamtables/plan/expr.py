"""Scalar expressions: a thin frozen wrapper over sqlglot's trees.

Inside a plan every column has one name that no other column in reach has, so an expression names columns
without a table: `"price" * "amount"`. Everything else in a tree is kept as sqlglot parsed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


_OPERATIONS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Neg: "neg",
    exp.Least: "least",
    exp.Greatest: "greatest",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.NullSafeEQ: "<=>",
    exp.Like: "like",
    exp.And: "and",
    exp.Or: "or",
    exp.Not: "not",
}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Count: "count",
    exp.Min: "min",
    exp.Max: "max",
}


_Shape = tuple[str, list[exp.Expr]]


def _case(tree: exp.Case) -> _Shape | None:
    ways, otherwise = tree.args["ifs"], tree.args.get("default") or exp.null()
    if tree.this or len(ways) != 1:
        return None
    return "if", [ways[0].this, ways[0].args["true"], otherwise]


def _between(tree: exp.Between) -> _Shape | None:
    sides = [tree.args[name] for name in ("this", "low", "high")]
    return None if tree.args.get("symmetric") else ("between", sides)


def _interval(tree: exp.Interval) -> _Shape | None:
    is_plain = isinstance(tree.this, exp.Literal)
    return (f"interval {tree.text('unit').upper()}", [tree.this]) if is_plain else None


def _words(spec: exp.Expr | None) -> tuple[str, ...]:
    """A frame as it is written; nothing where none is."""
    if spec is None:
        return ()
    ends = (
        f"{spec.args.get(end) or 'CURRENT ROW'} {spec.args.get(f'{end}_side') or ''}"
        for end in ("start", "end")
    )
    return (str(spec.args.get("kind")).upper(), *(end.strip().upper() for end in ends))


_SHAPES: dict[type[exp.Expr], Callable[[Any], _Shape | None]] = {
    exp.Case: _case,
    exp.Cast: lambda tree: (f"as {tree.to.sql(dialect='spark')}", [tree.this]),
    exp.Is: lambda tree: ("null", [tree.this]) if isinstance(tree.expression, exp.Null) else None,
    exp.Between: _between,
    exp.In: lambda tree: ("in", [tree.this, *tree.expressions]) if tree.expressions else None,
    exp.Interval: _interval,
    exp.Extract: lambda tree: (f"extract {tree.name.upper()}", [tree.expression]),
}


@dataclass(frozen=True, slots=True)
class Expr:
    """A scalar (or aggregate) expression over named columns; its tree is never changed in place."""

    tree: exp.Expr

    def __str__(self) -> str:
        return self.tree.sql(dialect="spark")

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns it reads."""
        return frozenset(found.name for found in self.tree.find_all(exp.Column))

    def column_uses(self) -> list[str]:
        """The names of the columns it reads, each as often as it reads it."""
        return [found.name for found in self.tree.find_all(exp.Column)]

    @property
    def column(self) -> str | None:
        """The column's name where the expression is nothing but a column."""
        return self.tree.name if isinstance(self.tree, exp.Column) else None

    @property
    def constant(self) -> str | int | None:
        """The value of a text or a whole number that is written out."""
        tree = self.tree.unnest()
        sign = -1 if isinstance(tree, exp.Neg) else 1
        tree = tree.this if isinstance(tree, exp.Neg) else tree
        if not isinstance(tree, exp.Literal) or (tree.is_string and sign < 0):
            return None
        value = str(tree.this)
        return value if tree.is_string else sign * int(value) if value.isdecimal() else None

    @property
    def decimal(self) -> str | None:
        """The digits of a DECIMAL that is written out."""
        tree = self.tree.unnest()
        is_number = isinstance(tree, exp.Literal) and not tree.is_string
        parts = str(tree.this).split(".") if is_number else []
        is_told = len(parts) == 2 and any(parts) and all(map(str.isdecimal, filter(None, parts)))
        return str(tree.this) if is_told else None

    @property
    def whole(self) -> int | None:
        """The value of a BIGINT that is written out."""
        tree = self.tree.unnest()
        is_cast = isinstance(tree, exp.Cast) and tree.is_type(exp.DType.BIGINT)
        value = Expr(tree.this).constant if is_cast else None
        return value if isinstance(value, int) else None

    def operation(self) -> tuple[str, tuple[Expr, ...]] | None:
        """The sign of an operator and what it is over; None for all else.

        A CASE of two ways is `if`, IS NULL is `null`, a CAST is `as` with its type, and an INTERVAL has its unit.
        """
        tree = self.tree.unnest()
        if tree.args.get("negate"):
            plain = tree.copy()
            plain.set("negate", None)
            return "not", (Expr(plain),)
        if type(tree) in _SHAPES:
            found = _SHAPES[type(tree)](tree)
        elif type(tree) in _OPERATIONS:
            others = [tree.expression] if isinstance(tree, exp.Binary) else tree.expressions
            found = _OPERATIONS[type(tree)], [tree.this, *others]
        else:
            return None
        return (found[0], tuple(Expr(part.unnest()) for part in found[1])) if found else None

    def aggregated(self) -> tuple[str, Expr | None] | None:
        """What an aggregate is called and what it is of, `COUNT(*)` of nothing; None for all but the simplest."""
        name = _AGGREGATES.get(type(self.tree))
        if name is None or self.tree.expressions or isinstance(self.tree.this, exp.Distinct):
            return None
        is_of_rows = isinstance(self.tree.this, exp.Star)
        return name, None if is_of_rows else Expr(self.tree.this)

    @property
    def call(self) -> str:
        """The name of the function that the expression calls, OVER or not; empty for anything else."""
        tree = self.tree.this if isinstance(self.tree, exp.Window) else self.tree
        names = tree.sql_names() if isinstance(tree, exp.Func) else [""]
        return str(tree.name if isinstance(tree, exp.Anonymous) else names[0]).lower()

    @property
    def is_null(self) -> bool:
        """Whether the expression is the literal NULL."""
        return isinstance(self.tree, exp.Null)

    @property
    def is_free(self) -> bool:
        """Whether it costs nothing to compute: a column or a constant."""
        tree = self.tree.this if isinstance(self.tree, exp.Cast) else self.tree
        is_constant = isinstance(tree, (exp.Literal, exp.Boolean, exp.Null))
        return is_constant or self.column is not None

    def over(self) -> tuple[Expr, tuple[Order, ...], tuple[str, ...]] | None:
        """The function of a window call, the columns that it goes along, and its frame in words: unit, start, end.

        None for any other expression, and for an order by more than columns.
        """
        tree = self.tree
        if not isinstance(tree, exp.Window):
            return None
        keys = tree.args["order"].expressions if tree.args.get("order") else []
        if not all(isinstance(key.this, exp.Column) for key in keys):
            return None
        order = (
            Order(key.this.name, bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
            for key in keys
        )
        return Expr(tree.this), tuple(order), _words(tree.args.get("spec"))

    @property
    def arguments(self) -> tuple[Expr, ...]:
        """What a function is called with."""
        return tuple(Expr(part) for part in self.tree.iter_expressions())

    def qualified(self, table: str) -> Expr:
        """The same expression with every column given a table."""

        def put(tree: exp.Expr) -> exp.Expr:
            is_column = isinstance(tree, exp.Column)
            return exp.column(tree.name, table=table, quoted=True) if is_column else tree

        return Expr(self.tree.copy().transform(put, copy=False))

    def renamed(self, names: Mapping[str, str]) -> Expr:
        """The same expression over other column names."""
        return self.replaced({old: col(new) for old, new in names.items()})

    def replaced(self, parts: Mapping[str, Expr]) -> Expr:
        """The same expression with columns replaced by expressions."""

        def put(tree: exp.Expr) -> exp.Expr:
            is_part = isinstance(tree, exp.Column) and tree.name in parts
            return operand(parts[tree.name]) if is_part else tree

        return Expr(self.tree.copy().transform(put, copy=False))

    def equality(self) -> tuple[str, str] | None:
        """The two column names where the expression is `a = b` or `a <=> b`."""
        left, right = (side.column for side in self.sides() or (self, self))
        return (left, right) if left and right and self.column is None else None

    def sides(self) -> tuple[Expr, Expr] | None:
        """The two sides where the expression is `a = b` or `a <=> b`."""
        tree = self.tree.unnest()
        if isinstance(tree, (exp.EQ, exp.NullSafeEQ)):
            return Expr(tree.left.unnest()), Expr(tree.right.unnest())
        return None

    def with_sides(self, left: Expr, right: Expr) -> Expr:
        """The same comparison of other sides."""
        return Expr(type(self.tree.unnest())(this=left.tree.copy(), expression=right.tree.copy()))

    def conjuncts(self) -> Iterator[Expr]:
        """The parts of `a AND b AND c`."""
        tree = self.tree.unnest()
        if isinstance(tree, exp.And):
            yield from Expr(tree.left).conjuncts()
            yield from Expr(tree.right).conjuncts()
        else:
            yield Expr(self.tree)


@dataclass(frozen=True, slots=True)
class Order:
    """A column by which rows are ordered, and where NULLs stand."""

    column: str
    is_descending: bool = False
    is_null_first: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """An expression under a name: `expr AS name`."""

    name: str
    expr: Expr

    def __str__(self) -> str:
        return self.name if self.expr.column == self.name else f"{self.expr} AS {self.name}"


def col(name: str) -> Expr:
    """A column."""
    return Expr(exp.Column(this=exp.to_identifier(name, quoted=True)))


def item(name: str) -> Item:
    """A column under its own name."""
    return Item(name, col(name))


def row_number(keys: Iterable[Order]) -> Expr:
    """`ROW_NUMBER() OVER (ORDER BY keys)`."""
    ordered = [
        exp.Ordered(
            this=col(key.column).tree, desc=key.is_descending, nulls_first=key.is_null_first
        )
        for key in keys
    ]
    order = exp.Order(expressions=ordered) if ordered else None
    return Expr(exp.Window(this=exp.Anonymous(this="row_number", expressions=[]), order=order))


def lit(value: int) -> Expr:
    """A BIGINT constant (every number the rules write is a weight)."""
    return Expr(exp.cast(exp.Literal.number(value), exp.DType.BIGINT))


def negated(value: Expr) -> Expr:
    """`-value`."""
    return Expr(exp.Neg(this=exp.paren(value.tree.copy())))


def product(values: Iterable[Expr]) -> Expr:
    """`a * b * c`; 1 of nothing."""
    found = [value.tree.copy() for value in values]
    return Expr(reduce(lambda a, b: exp.Mul(this=a, expression=b), found)) if found else lit(1)


def total(value: Expr) -> Expr:
    """`SUM(value)`."""
    return Expr(exp.Sum(this=value.tree.copy()))


def minus(left: Expr, right: Expr) -> Expr:
    """`left - right`."""
    return Expr(exp.Sub(this=left.tree.copy(), expression=exp.paren(right.tree.copy())))


def times(left: Expr, right: Expr) -> Expr:
    """`left * right`."""
    return product((left, right))


def plus(left: Expr, right: Expr) -> Expr:
    """`left + right`."""
    return Expr(exp.Add(this=left.tree.copy(), expression=right.tree.copy()))


def least(left: Expr, right: Expr) -> Expr:
    """The smaller of two numbers."""
    return Expr(exp.Least(this=left.tree.copy(), expressions=[right.tree.copy()]))


def greatest(left: Expr, right: Expr) -> Expr:
    """The larger of two numbers."""
    return Expr(exp.Greatest(this=left.tree.copy(), expressions=[right.tree.copy()]))


def one_if(condition: Expr) -> Expr:
    """1 where the condition is true, else 0."""
    case = exp.Case().when(condition.tree.copy(), lit(1).tree).else_(lit(0).tree)
    return Expr(case)


def is_zero(value: Expr) -> Expr:
    """`value = 0`."""
    return Expr(exp.EQ(this=exp.paren(value.tree.copy()), expression=exp.Literal.number(0)))


def is_not_zero(value: Expr) -> Expr:
    """`value <> 0`."""
    return Expr(exp.NEQ(this=exp.paren(value.tree.copy()), expression=exp.Literal.number(0)))


def is_above_zero(value: Expr) -> Expr:
    """`value > 0`."""
    return Expr(exp.GT(this=exp.paren(value.tree.copy()), expression=exp.Literal.number(0)))


def is_below_zero(value: Expr) -> Expr:
    """`value < 0`."""
    return Expr(exp.LT(this=exp.paren(value.tree.copy()), expression=exp.Literal.number(0)))


def any_of(conditions: Iterable[Expr]) -> Expr:
    """`a OR b OR c`; false of nothing."""
    found = [exp.paren(condition.tree.copy()) for condition in conditions]
    return Expr(exp.or_(*found) if found else exp.false())


def always() -> Expr:
    """`TRUE`."""
    return Expr(exp.true())


def null() -> Expr:
    """`NULL`."""
    return Expr(exp.null())


def never() -> Expr:
    """`FALSE`."""
    return Expr(exp.false())


def is_present(value: Expr) -> Expr:
    """`value IS NOT NULL`."""
    return Expr(exp.Not(this=exp.Is(this=exp.paren(value.tree.copy()), expression=exp.null())))


def case_when(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`CASE WHEN condition THEN then ELSE otherwise END`."""
    case = exp.Case().when(condition.tree.copy(), then.tree.copy())
    return Expr(case.else_(otherwise.tree.copy()))


def same(left: Expr, right: Expr) -> Expr:
    """`left <=> right`."""
    return Expr(exp.NullSafeEQ(this=left.tree.copy(), expression=right.tree.copy()))


def operand(expr: Expr) -> exp.Expr:
    """A copy of the tree, fit to stand inside another: in parentheses unless it is a column or a call."""
    tree = expr.tree.copy()
    # To sqlglot AND and OR are calls too.
    is_call = isinstance(tree, exp.Func) and not isinstance(tree, exp.Binary)
    return tree if is_call or isinstance(tree, exp.Column) else exp.paren(tree)


def all_of(conditions: Iterable[Expr]) -> Expr | None:
    """`a AND b AND c`; None of nothing."""
    found = [exp.paren(condition.tree.unnest().copy()) for condition in conditions]
    return Expr(exp.and_(*found, wrap=False)) if found else None
