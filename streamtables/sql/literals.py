"""Values of the driver as SQL literals, exact or not at all."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import Expr, col

if TYPE_CHECKING:
    from collections.abc import Sequence


def literal(value: object) -> Expr | None:
    r"""The literal of a value; None for a type whose literals do not prune or are not exact.

    >>> str(literal("it's"))
    "'it\\'s'"
    >>> literal(1.5) is None
    True
    """
    tree = _tree(value)
    return Expr(tree) if tree is not None else None


def among(column: str, literals: Sequence[Expr], dialect: str = "spark") -> Expr:
    """`column IN (…)`, with `OR column IS NULL` where NULL is among the literals."""
    target = col(column).tree
    present = [_text(value.tree, dialect) for value in literals if not value.is_null]
    # One node for all: writing a thousand nodes takes longer than Spark takes to read them.
    listed = [exp.Var(this=", ".join(present))]
    within = exp.In(this=target.copy(), expressions=listed) if present else exp.false()
    if len(present) == len(literals):
        return Expr(within)
    return Expr(
        exp.paren(exp.Or(this=within, expression=exp.Is(this=target, expression=exp.null())))
    )


def _text(tree: exp.Expr, dialect: str) -> str:
    is_number = isinstance(tree, exp.Literal) and not tree.is_string
    return str(tree.this) if is_number else tree.sql(dialect)


def _tree(value: object) -> exp.Expr | None:
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, int):
        return (
            exp.cast(exp.Literal.string(str(value)), exp.DType.BIGINT)
            if abs(value) > 2**31
            else exp.Literal.number(value)
        )
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, decimal.Decimal):
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return exp.cast(
            exp.Literal.string(f"{value:f}"),
            f"decimal({max(len(digits) + max(0, int(exponent)), scale + 1)}, {scale})",
        )
    if isinstance(value, datetime.datetime):
        kind = "timestamp" if value.tzinfo else "timestamp_ntz"
        naive = (
            value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if value.tzinfo else value
        )
        suffix = "+00:00" if value.tzinfo else ""
        return exp.cast(exp.Literal.string(naive.isoformat(" ") + suffix), kind)
    if isinstance(value, datetime.date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    return None
