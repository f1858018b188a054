"""The rule of INTERSECT."""

from __future__ import annotations

import pytest
from helpers.plans import shown


@pytest.mark.parametrize(
    ("word", "out"),
    [
        ("INTERSECT", "CASE WHEN (LEAST(`_left`, `_right`)) > 0 THEN"),
        ("INTERSECT ALL", "Project k_2, LEAST(`_left`, `_right`) - (LEAST("),
    ],
)
def test_how_often_a_row_is_in_the_answer(word: str, out: str) -> None:
    assert out in shown(f"SELECT k FROM l {word} SELECT k FROM r", "l", "r")
