"""Expressions computed on the driver as Spark computes them: numbers, dates that are written, and conditions.

    CASE WHEN a THEN b ELSE c END   b only of the rows where a is true, c only of the others
    a BETWEEN b AND c               a >= b AND a <= c;   a IN (b, c)   a = b OR a = c

NULL goes through; LEAST and GREATEST pass over it; conditions have three values. Compared are whole numbers and
DECIMALs with each other, and texts and dates with their like. Whatever else there is, None says that it is Spark's.
"""

from __future__ import annotations

from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from streamtables.spark.arithmetic import (
    as_decimal,
    cast,
    is_number,
    product,
    quotient,
    ratio,
    sum_of,
)
from streamtables.spark.days import written_day

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamtables.plan.expr import Expr

_COMPUTED: dict[str, Callable[..., Any]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "*": pc.multiply_checked,
    "/": ratio,
    "neg": pc.negate_checked,
    "least": pc.min_element_wise,
    "greatest": pc.max_element_wise,
}
_COMPARED: dict[str, Callable[..., Any]] = {
    ">": pc.greater,
    "<": pc.less,
    ">=": pc.greater_equal,
    "<=": pc.less_equal,
    "=": pc.equal,
    "<>": pc.not_equal,
}
_JOINED: dict[str, Callable[..., Any]] = {
    "and": pc.and_kleene,
    "or": pc.or_kleene,
    "not": pc.invert,
}


def number(expr: Expr, rows: pa.Table) -> Any:
    """A number of each row."""
    if expr.column is not None:
        column = rows.column(expr.column)
        return column if is_number(column.type) else None
    if written := _written(expr):
        return _repeated(*written, rows)
    sign, parts = expr.operation() or ("", ())
    if sign == "if":
        return _chosen(*parts, rows=rows)
    if sign.startswith("as "):
        return _cast(parts[0], sign.removeprefix("as "), rows)
    if sign == "extract YEAR":
        column = rows.column(parts[0].column) if parts[0].column else None
        is_day = column is not None and pa.types.is_date(column.type)
        return pc.year(column).cast(pa.int32()) if is_day else None
    found = [number(part, rows) for part in parts]
    if any(pa.types.is_decimal(part.type) for part in found if part is not None):
        return _of_decimals(sign, parts, found)
    if not found or any(part is None for part in found):
        return None
    wide = _wide(found)
    if sign not in _COMPUTED or not all(pa.types.is_integer(part.type) for part in wide):
        return None
    return _COMPUTED[sign](*wide)


def _written(expr: Expr) -> tuple[int | Decimal, pa.DataType] | None:
    """A number that is written out, with its type."""
    if expr.whole is not None:
        return expr.whole, pa.int64()
    if isinstance(expr.constant, int):
        is_short = -(2**31) <= expr.constant < 2**31
        return expr.constant, pa.int32() if is_short else pa.int64()
    if expr.decimal is None:
        return None
    value = Decimal(expr.decimal)
    scale = -int(value.as_tuple().exponent)
    return value, pa.decimal128(max(len(value.as_tuple().digits), scale), scale)


def truth(expr: Expr, rows: pa.Table) -> Any:
    """Whether a condition is true of each row, or something is missing."""
    sign, parts = expr.operation() or ("", ())
    if sign == "null":
        column = parts[0].column
        return None if column is None else rows.column(column).is_null()
    if expr.column is not None:
        known = rows.column(expr.column)
        return known if pa.types.is_boolean(known.type) else None
    if sign in _JOINED:
        return _joined(sign, [truth(part, rows) for part in parts])
    sides = [_side(part, rows) for part in parts]
    if not sides or any(side is None for side in sides):
        return None
    if sign == "between":
        return _joined("and", [_compared(">=", *sides[:2]), _compared("<=", sides[0], sides[2])])
    if sign == "in":
        found = [_compared("=", sides[0], side) for side in sides[1:]]
        return None if any(one is None for one in found) else reduce(pc.or_kleene, found)
    if sign == "like":
        pattern = parts[1].constant
        is_plain = isinstance(pattern, str) and "\\" not in pattern
        is_text = pa.types.is_string(sides[0].type)
        return pc.match_like(sides[0], pattern) if is_plain and is_text else None
    return _compared(sign, *sides) if sign in _COMPARED else None


def tried(compute: Callable[[], Any]) -> Any:
    """What is computed; None where a number grows too large, or Arrow has no such thing."""
    try:
        return compute()
    except pa.ArrowException:
        return None


def _joined(sign: str, parts: Sequence[Any]) -> Any:
    return None if any(part is None for part in parts) else _JOINED[sign](*parts)


def _compared(sign: str, left: Any, right: Any) -> Any:
    """A comparison of two sides of one kind."""
    tests = (is_number, pa.types.is_string, pa.types.is_date)
    is_alike = any(test(left.type) and test(right.type) for test in tests)
    return _COMPARED[sign](left, right) if is_alike else None


def _side(expr: Expr, rows: pa.Table) -> Any:
    """A side of a comparison: a number, a text or a date, also one that is written."""
    if expr.constant is not None:
        kind = pa.int64() if isinstance(expr.constant, int) else pa.string()
        return _repeated(expr.constant, kind, rows)
    if expr.column is not None:
        column = rows.column(expr.column)
        is_other = pa.types.is_string(column.type) or pa.types.is_date(column.type)
        return column if is_other or is_number(column.type) else None
    day = written_day(expr)
    return number(expr, rows) if day is None else _repeated(day, pa.date32(), rows)


def _of_decimals(sign: str, parts: Sequence[Expr], found: Sequence[Any]) -> Any:
    """A sum or a product of which one side at least is a DECIMAL."""
    if sign == "neg":
        return pc.negate(found[0])
    if sign not in ("+", "-", "*") or any(side is None for side in found):
        return None
    left, right = (
        _whole(part.constant, len(side)) if isinstance(part.constant, int) else as_decimal(side)
        for part, side in zip(parts, found, strict=True)
    )
    return product(left, right) if sign == "*" else sum_of(sign, left, right)


def _whole(value: Any, count: int) -> Any:
    """A whole number as it is written beside a DECIMAL."""
    return pa.repeat(pa.scalar(Decimal(value), pa.decimal128(len(str(abs(value))))), count)


def _chosen(condition: Expr, then: Expr, otherwise: Expr, *, rows: pa.Table) -> Any:
    """Each row's number by one of two ways; what the other way would fail on it never sees."""
    found = truth(condition, rows)
    if found is None:
        return None
    is_so = pc.fill_null(found, fill_value=False)
    parts = [(then, rows.filter(is_so)), (otherwise, rows.filter(pc.invert(is_so)))]
    ways = [None if way.is_null else number(way, part) for way, part in parts]
    if all(way is not None and pa.types.is_integer(way.type) for way in ways):
        ways = _wide(ways)
    kinds = {way.type for way in ways if way is not None}
    is_known = all(
        way is not None or expr.is_null for way, (expr, _) in zip(ways, parts, strict=True)
    )
    if not is_known or len(kinds) != 1:
        return None
    (kind,) = kinds
    made = [
        pa.nulls(part.num_rows, kind) if way is None else way
        for way, (_, part) in zip(ways, parts, strict=True)
    ]
    places = pa.concat_arrays([pc.indices_nonzero(is_so), pc.indices_nonzero(pc.invert(is_so))])
    both = pa.chunked_array([chunk for way in made for chunk in _chunks(way)], kind)
    return both.take(pc.sort_indices(places))


def _chunks(found: Any) -> list[pa.Array]:
    return list(found.chunks) if isinstance(found, pa.ChunkedArray) else [found]


def _cast(inner: Expr, kind: str, rows: pa.Table) -> Any:
    sign, parts = inner.operation() or ("", ())
    if sign != "/":
        found = number(inner, rows)
    else:
        sides = [number(part, rows) for part in parts]
        found = None if any(side is None for side in sides) else quotient(*_wide(sides))
    return None if found is None else cast(found, kind)


def _wide(found: Sequence[Any]) -> list[Any]:
    """Whole numbers as wide as the widest."""
    kinds = [part.type for part in found if pa.types.is_integer(part.type)]
    widest = max(kinds, key=lambda kind: kind.bit_width, default=None)
    return [part.cast(widest) if pa.types.is_integer(part.type) else part for part in found]


def _repeated(value: Any, kind: pa.DataType, rows: pa.Table) -> Any:
    return pa.repeat(pa.scalar(value, kind), rows.num_rows)
