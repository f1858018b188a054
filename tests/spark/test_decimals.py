"""DECIMALs as whole numbers and back."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from streamtables.spark.decimals import is_short, scaled, unscaled

KIND = pa.decimal128(18, 3)
NUMBERS = st.lists(st.none() | st.integers(-(10**18) + 1, 10**18 - 1), max_size=5)


@given(st.lists(NUMBERS, max_size=3), st.integers(0, 3))
@example([[]], 0)
@example([[None, None], []], 1)
def test_there_and_back(chunks: list[list[int | None]], begin: int) -> None:
    decimals = [[n if n is None else Decimal(n).scaleb(-3) for n in chunk] for chunk in chunks]
    column = pa.chunked_array([pa.array(chunk, KIND) for chunk in decimals], KIND).slice(begin)
    numbers = [number for chunk in chunks for number in chunk][begin:]
    assert unscaled(column).to_pylist() == numbers
    assert scaled(unscaled(column), KIND).to_pylist() == column.to_pylist()


def test_which_are_short() -> None:
    assert [is_short(pa.decimal128(digits, 2)) for digits in (1, 18, 19)] == [True, True, False]
    assert not is_short(pa.int64())
