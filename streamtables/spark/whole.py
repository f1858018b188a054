"""Values as whole numbers in their order, and back: dates as days, DECIMALs of few digits without their point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# DECIMALs of so many digits have 64 bits, of the 128 that Arrow takes for each.
_DIGITS = 18


def as_whole(column: Any) -> Any:
    """The values as whole numbers; None where they are of another kind."""
    if pa.types.is_decimal128(column.type) and column.type.precision <= _DIGITS:
        return _unscaled(column)
    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    return column if pa.types.is_integer(column.type) else None


def of_whole(numbers: Any, kind: pa.DataType) -> Any:
    """Whole numbers in the type that they stand for; values that have it already as they are."""
    if pa.types.is_decimal128(kind) and pa.types.is_integer(numbers.type):
        return _scaled(numbers, kind)
    return numbers.cast(pa.int32()).cast(kind) if pa.types.is_date32(kind) else numbers.cast(kind)


def _unscaled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The lower halves of what Arrow holds."""
    parts = []
    for part in filter(len, column.chunks):
        begin, end = part.offset, part.offset + len(part)
        lower = np.frombuffer(part.buffers()[1], np.int64)[2 * begin : 2 * end : 2]
        parts.append(pa.array(lower, mask=part.is_null().to_numpy(zero_copy_only=False)))
    return pa.chunked_array(parts, pa.int64())


def _scaled(numbers: Any, kind: pa.DataType) -> pa.ChunkedArray:
    whole = numbers.combine_chunks() if isinstance(numbers, pa.ChunkedArray) else numbers
    lower = pc.fill_null(whole, 0).to_numpy().astype(np.int64)
    halves = pa.py_buffer(np.stack([lower, lower >> 63], axis=1))
    found = pa.Array.from_buffers(kind, len(lower), [None, halves])
    return pa.chunked_array([pc.if_else(pc.is_valid(whole), found, None)], kind)
