"""Deletion vectors as bytes: what is written is read again, and so is what other writers may write."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamtables.spark import bitmaps

NEAR = st.integers(0, 300_000)
FAR = st.integers(0, 2**40)
SOME = st.sets(NEAR | FAR, max_size=200)


@given(SOME)
@example(set())
@example(set(range(4096)))
@example(set(range(4097)))
@example(set(range(65_536 * 2)))
@example(set(range(60_000, 140_000, 3)) | {2**33})
def test_what_is_written_is_read(numbers: set[int]) -> None:
    content = bitmaps.encoded(np.array(sorted(numbers), np.int64))
    assert bitmaps.decoded(content).tolist() == sorted(numbers)
    assert bitmaps.inline(bitmaps.as_text(content), len(content)) == content


@given(SOME, SOME)
def test_which_are_among_others(numbers: set[int], others: set[int]) -> None:
    found = bitmaps.are_among(*(np.array(sorted(some), np.int64) for some in (numbers, others)))
    assert found.tolist() == [number in others for number in sorted(numbers)]


def test_the_text_is_that_of_z85() -> None:
    content = bytes.fromhex("864fd26fb559f75b")
    assert bitmaps.as_text(content) == "HelloWorld"
    assert bitmaps.inline("HelloWorld", 8) == content


@pytest.mark.parametrize("containers", [1, 3, 4, 9])
def test_runs_are_read(containers: int) -> None:
    """Every second container of runs, the others listed: as bitmaps that were made small have them."""
    flags = bytearray((containers + 7) // 8)
    heads, bodies, wanted = b"", [], set[int]()
    for key in range(containers):
        if key % 2 == 0:
            flags[key >> 3] |= 1 << (key & 7)
            numbers = [*range(5, 10), *range(100, 65_536)]
            bodies.append(struct.pack("<5H", 2, 5, 4, 100, 65_535 - 100))
        else:
            numbers = [1, 7, 65_535]
            bodies.append(struct.pack("<3H", *numbers))
        heads += struct.pack("<HH", key, len(numbers) - 1)
        wanted |= {(key << 16) + number for number in numbers}
    places = bytes(4 * containers) if containers >= 4 else b""
    cookie = struct.pack("<I", 12_347 | (containers - 1) << 16)
    bitmap = cookie + bytes(flags) + heads + places + b"".join(bodies)
    assert bitmaps.decoded(struct.pack("<iqi", 1681511377, 1, 0) + bitmap).tolist() == sorted(
        wanted
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        struct.pack("<iq", 1681511376, 0),
        struct.pack("<iqiI", 1681511377, 1, 0, 99),
        bitmaps.encoded(np.arange(3))[:-1],
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(bitmaps.NotReadable):
        bitmaps.decoded(content)
