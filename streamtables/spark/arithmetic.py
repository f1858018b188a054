"""Numbers computed on the driver as Spark computes them, their types included: BIGINT and DECIMAL.

    BIGINT  + - *  BIGINT   BIGINT, or an error where it is too large, which is Spark's to tell of
    DECIMAL(p, s)  *  BIGINT   DECIMAL(p + 21, s)
    BIGINT / BIGINT   DOUBLE
    CAST(DECIMAL / BIGINT AS DECIMAL(p, s))   in as many digits as 38 leave, then in so many, each rounded at its half
    CASE WHEN a THEN b ELSE c END   b only of the rows where a is true, c only of the others

NULL goes through; LEAST and GREATEST pass over it. Whatever else there is, None says that it is left to Spark.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamtables.plan.expr import Expr

_WHOLE, _MOST_DIGITS, _LEAST_SCALE = pa.decimal128(20, 0), 38, 6
# Of a quotient so many places are computed before it is rounded.
_EXACT, _PLACES = Context(prec=100), Decimal(1).scaleb(-38)
_COMPUTED: dict[str, Callable[..., Any]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
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
        return column if _is_number(column.type) else None
    if expr.whole is not None:
        return pa.repeat(pa.scalar(expr.whole, pa.int64()), rows.num_rows)
    sign, parts = expr.operation() or ("", ())
    if sign == "if":
        return _chosen(*parts, rows=rows)
    if sign.startswith("as "):
        return _cast(parts[0], sign.removeprefix("as "), rows)
    found = _numbers(parts, rows)
    if not found:
        return None
    if sign == "*":
        return _product(*found)
    if not all(pa.types.is_int64(part.type) for part in found):
        return None
    if sign == "/":
        return _ratio(*found)
    return _COMPUTED[sign](*found) if sign in _COMPUTED else None


def truth(expr: Expr, rows: pa.Table) -> Any:
    """Whether a condition is true of each row, or something is missing."""
    sign, parts = expr.operation() or ("", ())
    if sign == "null":
        column = parts[0].column
        return None if column is None else rows.column(column).is_null()
    if sign in _JOINED:
        found = [truth(part, rows) for part in parts]
        return None if any(part is None for part in found) else _JOINED[sign](*found)
    sides = [_side(part, rows) for part in parts]
    if sign not in _COMPARED or any(side is None for side in sides):
        return None
    are_texts = [pa.types.is_string(side.type) for side in sides]
    return _COMPARED[sign](*sides) if all(are_texts) or not any(are_texts) else None


def tried(compute: Callable[[], Any]) -> Any:
    """What is computed; None where a number grows too large, or Arrow has no such thing."""
    try:
        return compute()
    except pa.ArrowException:
        return None


def sum_type(column: pa.ChunkedArray) -> pa.DataType | None:
    """The type of the sum of a column; None where that may be too large for it, or it is no number."""
    kind = column.type
    is_decimal = pa.types.is_decimal128(kind)
    if not is_decimal and not pa.types.is_int64(kind):
        return None
    ends = pc.min_max(column).as_py()
    largest = max(abs(ends["min"] or 0), abs(ends["max"] or 0)) * len(column)
    if not is_decimal:
        return kind if largest < 2**63 else None
    digits = min(kind.precision + 10, _MOST_DIGITS)
    fits = Decimal(largest) < Decimal(1).scaleb(digits - kind.scale)
    return pa.decimal128(digits, kind.scale) if fits else None


def _side(expr: Expr, rows: pa.Table) -> Any:
    """A side of a comparison, a whole number or a text: also a constant, and a column of a smaller type."""
    if expr.constant is not None:
        kind = pa.int64() if isinstance(expr.constant, int) else pa.string()
        return pa.repeat(pa.scalar(expr.constant, kind), rows.num_rows)
    if expr.column is not None and pa.types.is_string(rows.column(expr.column).type):
        return rows.column(expr.column)
    found = number(expr, rows)
    return found if found is not None and pa.types.is_integer(found.type) else None


def _chosen(condition: Expr, then: Expr, otherwise: Expr, *, rows: pa.Table) -> Any:
    """Each row's number by one of two ways; what the other way would fail on it never sees."""
    found = truth(condition, rows)
    if found is None:
        return None
    is_so = pc.fill_null(found, fill_value=False)
    parts = [(then, rows.filter(is_so)), (otherwise, rows.filter(pc.invert(is_so)))]
    ways = [None if way.is_null else _way(way, part) for way, part in parts]
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


def _way(expr: Expr, rows: pa.Table) -> Any:
    """One way of a CASE: a whole number as it is written is as wide as the other way."""
    return _side(expr, rows) if isinstance(expr.constant, int) else number(expr, rows)


def _chunks(found: Any) -> list[pa.Array]:
    return list(found.chunks) if isinstance(found, pa.ChunkedArray) else [found]


def _numbers(parts: Iterable[Expr], rows: pa.Table) -> list[Any]:
    """What several expressions give, whole numbers as wide as the widest; nothing where one is not for here."""
    found = [number(part, rows) for part in parts]
    if any(part is None for part in found):
        return []
    if not any(pa.types.is_int64(part.type) for part in found):
        return found
    return [part.cast(pa.int64()) if pa.types.is_integer(part.type) else part for part in found]


def _product(left: Any, right: Any) -> Any:
    if pa.types.is_decimal(right.type):
        left, right = right, left
    if not pa.types.is_int64(right.type):
        return None
    if pa.types.is_int64(left.type):
        return pc.multiply_checked(left, right)
    digits, scale = left.type.precision + _WHOLE.precision + 1, left.type.scale
    if not pa.types.is_decimal(left.type) or (digits > _MOST_DIGITS and scale > _LEAST_SCALE):
        return None
    # As few digits as there are, for Arrow has a limit where Spark cuts off.
    ends = pc.min_max(right).as_py()
    most = max(len(str(abs(end or 0))) for end in ends.values())
    found = pc.multiply_checked(left, right.cast(_WHOLE).cast(pa.decimal128(most, 0)))
    return found.cast(pa.decimal128(min(digits, _MOST_DIGITS), scale))


def _ratio(left: Any, right: Any) -> Any:
    """A DOUBLE, of what is not divided by zero."""
    if pc.any(pc.equal(right, 0)).as_py():
        return None
    return pc.divide(left.cast(pa.float64(), safe=False), right.cast(pa.float64(), safe=False))


def _cast(inner: Expr, kind: str, rows: pa.Table) -> Any:
    """A CAST that Spark's settings have no say in."""
    name, _, rest = kind.rstrip(")").partition("(")
    sign, parts = inner.operation() or ("", ())
    found = _quotient(*_numbers(parts, rows)) if sign == "/" else number(inner, rows)
    if found is None:
        return None
    if name == "BIGINT":
        return found.cast(pa.int64()) if pa.types.is_integer(found.type) else None
    if name != "DECIMAL" or not rest or not pa.types.is_decimal(found.type):
        return None
    precision, scale = map(int, rest.split(","))
    # Where rounding has no digit left to carry into, Arrow gives 0.
    wider = found.cast(pa.decimal256(found.type.precision + 1, found.type.scale))
    if scale < found.type.scale:
        wider = pc.round(wider, scale, "half_towards_infinity")
    return wider.cast(pa.decimal128(precision, scale))


def _quotient(left: Any = None, right: Any = None) -> Any:
    """A DECIMAL over a BIGINT that is nowhere zero, before it is cast to what is wanted of it."""
    if right is None or not pa.types.is_int64(right.type) or not pa.types.is_decimal(left.type):
        return None
    if pc.any(pc.equal(right, 0)).as_py():
        return None
    whole, scale = left.type.precision - left.type.scale, max(_LEAST_SCALE, left.type.scale + 21)
    if whole + scale > _MOST_DIGITS:
        scale = max(_MOST_DIGITS - whole, _LEAST_SCALE)
    kind = pa.decimal128(min(whole + scale, _MOST_DIGITS), scale)
    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    return pa.array([None if None in pair else _divided(*pair, scale) for pair in pairs], kind)


def _divided(value: Decimal, by: int, scale: int) -> Decimal:
    exact = _EXACT.divide(value, Decimal(by)).quantize(_PLACES, ROUND_HALF_UP, _EXACT)
    return exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal128(kind))
