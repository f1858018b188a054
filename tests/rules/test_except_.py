"""The rule of EXCEPT."""

from __future__ import annotations

import pytest
from helpers.plans import shown


@pytest.mark.parametrize(
    ("word", "out"),
    [
        ("EXCEPT", "CASE WHEN (`_right`) = 0 THEN"),
        ("MINUS", "CASE WHEN (`_right`) = 0 THEN"),
        ("EXCEPT ALL", "GREATEST(`_left` - (`_right`), CAST(0 AS BIGINT))"),
    ],
)
def test_how_often_a_row_is_in_the_answer(word: str, out: str) -> None:
    assert out in shown(f"SELECT k FROM l {word} SELECT k FROM r", "r")
