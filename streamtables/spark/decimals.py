"""DECIMALs of few digits as whole numbers, without their point, and back: Arrow has 128 bits for each of any length."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# So many digits have 64 bits.
_DIGITS = 18


def is_short(kind: pa.DataType) -> bool:
    """Whether a type is that of DECIMALs which have 64 bits, of the 128 that Arrow takes."""
    return bool(pa.types.is_decimal128(kind)) and kind.precision <= _DIGITS


def unscaled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """DECIMALs as whole numbers, without their point: the lower halves of what Arrow holds."""
    parts = []
    for part in filter(len, column.chunks):
        begin, end = part.offset, part.offset + len(part)
        lower = np.frombuffer(part.buffers()[1], np.int64)[2 * begin : 2 * end : 2]
        parts.append(pa.array(lower, mask=part.is_null().to_numpy(zero_copy_only=False)))
    return pa.chunked_array(parts, pa.int64())


def scaled(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The DECIMALs again."""
    lower = pc.fill_null(column, 0).to_numpy().astype(np.int64)
    halves = pa.py_buffer(np.stack([lower, lower >> 63], axis=1))
    found = pa.Array.from_buffers(kind, len(lower), [None, halves])
    return pa.chunked_array([pc.if_else(pc.is_valid(column.combine_chunks()), found, None)], kind)
