"""Plain types: those whose values are the same on the driver as in Spark, and equal by the same rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


class NotPlain(Exception):
    """Something in the files that Spark has to read."""


def kind_of(field: Mapping[str, Any]) -> pa.DataType:
    """The type of a plain column on the driver."""
    kind = field["type"]
    if isinstance(kind, str) and kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    metadata = field.get("metadata") or {}
    is_padded = any("CHAR_VARCHAR" in key or "COLLATION" in key.upper() for key in metadata)
    if not isinstance(kind, str) or kind not in _KINDS or is_padded:
        raise NotPlain(str(kind))
    return _KINDS[kind]


def cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The values in the type that Spark gives them; any other change of type is left to Spark."""
    if column.type == kind:
        return column
    both = (column.type, kind)
    if all(map(pa.types.is_timestamp, both)) or all(map(pa.types.is_decimal, both)):
        return column.cast(kind)
    raise NotPlain(f"{column.type} as {kind}")


def unsigned_zero(column: pa.Array) -> pa.Array:
    """The values with 0.0 for -0.0, which Arrow tells apart and SQL does not.

    >>> unsigned_zero(pa.array([-0.0, 1.5])).to_pylist()
    [0.0, 1.5]
    """
    return pc.add(column, 0.0) if pa.types.is_floating(column.type) else column


def any_between(values: pa.ChunkedArray, least: Any, most: Any) -> bool:
    """Whether one of some whole numbers lies between two; of anything else one may, but of none at all.

    >>> any_between(pa.chunked_array([[1, 9]]), 2, 8), any_between(pa.chunked_array([[1, None]]), 2, 8)
    (False, True)
    >>> any_between(pa.chunked_array([], pa.string()), "a", "z")
    False
    """
    if not len(values):
        return False
    is_known = isinstance(least, int) and isinstance(most, int)
    if not is_known or values.null_count or not pa.types.is_integer(values.type):
        return True
    inside = pc.and_(pc.greater_equal(values, least), pc.less_equal(values, most))
    return bool(pc.any(inside).as_py())


def comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values so that Arrow takes those for equal that Spark does: one NaN, and 0.0 for -0.0.

    >>> comparable(pa.chunked_array([[-0.0, None, -float("nan")]])).to_pylist()
    [0.0, None, nan]
    """
    if not pa.types.is_floating(column.type):
        return column
    is_nan = pc.fill_null(pc.is_nan(column), fill_value=False)
    return pc.if_else(is_nan, pa.scalar(float("nan"), column.type), pc.add(column, 0.0))


def is_plain(kind: pa.DataType) -> bool:
    """Whether Arrow and Spark agree on which values of a type are equal: not of floats, nor of what is nested."""
    tests = (
        pa.types.is_integer,
        pa.types.is_boolean,
        pa.types.is_string,
        pa.types.is_date,
        pa.types.is_timestamp,
        pa.types.is_decimal,
    )
    return any(test(kind) for test in tests)


def are_comparable(rows: pa.Table) -> bool:
    """Whether Arrow and Spark agree on which of these rows are equal."""
    return all(map(_is_comparable, rows.columns))


def _is_comparable(column: pa.ChunkedArray) -> bool:
    """Floats are, but for NaN and -0.0, which SQL takes for the same as another and Arrow does not.

    >>> [_is_comparable(pa.chunked_array([[1.5, value]])) for value in (0.0, -0.0, float("nan"), None)]
    [True, False, False, True]
    """
    if not pa.types.is_floating(column.type):
        return is_plain(column.type)
    is_odd = pc.or_(pc.is_nan(column), pc.equal(pc.divide(1.0, column), float("-inf")))
    return not pc.any(is_odd).as_py()
