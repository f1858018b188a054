"""Numbers computed on the driver as Spark computes them, their types included: whole numbers and DECIMALs.

    INT  + - *  BIGINT         BIGINT, the wider one, or an error where it is too large, which is Spark's to tell of
    DECIMAL(p, s) ± (q, t)     scale u = max(s, t), digits u + max(p − s, q − t) + 1;  × : p + q + 1 digits, scale s + t
    whole numbers beside DECIMALs have the digits that their type may have, those that are written the digits they have
    whole / whole              DOUBLE
    CAST(DECIMAL / BIGINT AS DECIMAL(p, s))   in as many digits as 38 leave, then in so many, each rounded at its half

What would need more than 38 digits is cut off by Spark, and left to it: None says so.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_MOST_DIGITS, _LEAST_SCALE = 38, 6
_WHOLE = {"INT": pa.int32(), "BIGINT": pa.int64()}
_DIGITS = {pa.int8(): 3, pa.int16(): 5, pa.int32(): 10, pa.int64(): 20}
# Of a quotient so many places are computed before it is rounded.
_EXACT, _PLACES = Context(prec=100), Decimal(1).scaleb(-38)
_SIGNED = {"+": pc.add_checked, "-": pc.subtract_checked}


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are computed here."""
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal128(kind))


def as_decimal(column: Any, digits: int | None = None) -> Any:
    """Whole numbers as DECIMALs of so many digits, or of as many as their type may have."""
    if pa.types.is_decimal(column.type):
        return column
    return column.cast(pa.decimal128(_DIGITS[column.type])).cast(
        pa.decimal128(digits or _DIGITS[column.type])
    )


def sum_of(sign: str, left: Any, right: Any) -> Any:
    """A sum or a difference of two DECIMALs."""
    scale = max(left.type.scale, right.type.scale)
    whole = max(side.type.precision - side.type.scale for side in (left, right))
    return _SIGNED[sign](left, right) if whole + scale < _MOST_DIGITS else None


def product(left: Any, right: Any) -> Any:
    """A product of two DECIMALs."""
    digits = left.type.precision + right.type.precision + 1
    scale = left.type.scale + right.type.scale
    if digits <= _MOST_DIGITS:
        return pc.multiply_checked(left, right)
    if not right.type.scale:
        left, right = right, left
    if left.type.scale or scale > _LEAST_SCALE:
        return None
    # As few digits as there are, for Arrow has a limit where Spark cuts off.
    ends = pc.min_max(left).as_py()
    most = max(len(str(abs(int(end or 0)))) for end in ends.values())
    found = pc.multiply_checked(right, left.cast(pa.decimal128(most, 0)))
    return found.cast(pa.decimal128(_MOST_DIGITS, scale))


def ratio(left: Any, right: Any) -> Any:
    """A DOUBLE of two whole numbers, of what is not divided by zero."""
    if pc.any(pc.equal(right, 0)).as_py():
        return None
    return pc.divide(left.cast(pa.float64(), safe=False), right.cast(pa.float64(), safe=False))


def quotient(left: Any, right: Any) -> Any:
    """A DECIMAL over a BIGINT that is nowhere zero, before it is cast to what is wanted of it."""
    if not pa.types.is_int64(right.type) or not pa.types.is_decimal(left.type):
        return None
    if pc.any(pc.equal(right, 0)).as_py():
        return None
    whole, scale = left.type.precision - left.type.scale, max(_LEAST_SCALE, left.type.scale + 21)
    if whole + scale > _MOST_DIGITS:
        scale = max(_MOST_DIGITS - whole, _LEAST_SCALE)
    kind = pa.decimal128(min(whole + scale, _MOST_DIGITS), scale)
    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    return pa.array([None if None in pair else _divided(*pair, scale) for pair in pairs], kind)


def cast(column: Any, kind: str) -> Any:
    """A CAST that Spark's settings have no say in."""
    name, _, rest = kind.rstrip(")").partition("(")
    if name in _WHOLE:
        return column.cast(_WHOLE[name]) if pa.types.is_integer(column.type) else None
    if name != "DECIMAL" or not rest or not pa.types.is_decimal(column.type):
        return None
    precision, scale = map(int, rest.split(","))
    # Where rounding has no digit left to carry into, Arrow gives 0.
    wider = column.cast(pa.decimal256(column.type.precision + 1, column.type.scale))
    if scale < column.type.scale:
        wider = pc.round(wider, scale, "half_towards_infinity")
    return wider.cast(pa.decimal128(precision, scale))


def sum_type(column: pa.ChunkedArray) -> pa.DataType | None:
    """The type of the sum of a column; None where that may be too large for it, or it is no number."""
    kind = column.type
    is_decimal = pa.types.is_decimal128(kind)
    if not is_decimal and not pa.types.is_integer(kind):
        return None
    ends = pc.min_max(column).as_py()
    largest = max(abs(ends["min"] or 0), abs(ends["max"] or 0)) * len(column)
    if not is_decimal:
        return pa.int64() if largest < 2**63 else None
    digits = min(kind.precision + 10, _MOST_DIGITS)
    fits = Decimal(largest) < Decimal(1).scaleb(digits - kind.scale)
    return pa.decimal128(digits, kind.scale) if fits else None


def _divided(value: Decimal, by: int, scale: int) -> Decimal:
    exact = _EXACT.divide(value, Decimal(by)).quantize(_PLACES, ROUND_HALF_UP, _EXACT)
    return exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)
