"""Values as whole numbers and back."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from streamtables.spark.whole import as_whole, of_whole

KIND = pa.decimal128(18, 3)
NUMBERS = st.lists(st.none() | st.integers(-(10**18) + 1, 10**18 - 1), max_size=5)


@given(st.lists(NUMBERS, max_size=3), st.integers(0, 3))
@example([[]], 0)
@example([[None, None], []], 1)
def test_there_and_back(chunks: list[list[int | None]], begin: int) -> None:
    decimals = [[n if n is None else Decimal(n).scaleb(-3) for n in chunk] for chunk in chunks]
    column = pa.chunked_array([pa.array(chunk, KIND) for chunk in decimals], KIND).slice(begin)
    numbers = [number for chunk in chunks for number in chunk][begin:]
    assert as_whole(column).to_pylist() == numbers
    assert of_whole(as_whole(column), KIND).to_pylist() == column.to_pylist()


def test_which_are_whole() -> None:
    kinds = [pa.decimal128(digits, 2) for digits in (1, 18, 19)]
    found = [as_whole(pa.chunked_array([], kind)) is not None for kind in kinds]
    assert found == [True, True, False]
    assert as_whole(pa.array([1])).to_pylist() == [1]
    assert as_whole(pa.array(["a"])) is None


def test_dates() -> None:
    days = pa.array([date(1970, 1, 3), None])
    assert as_whole(days).to_pylist() == [2, None]
    assert of_whole(as_whole(days), days.type).equals(days)
