"""Columns that are not there, or there twice."""

from __future__ import annotations

import pytest
from helpers.plans import compiled

from streamtables.errors import UnknownColumn


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT wrong FROM l", "no column wrong (line 1, column 8)"),
        ("SELECT id FROM l WHERE r.n = 'x'", "n"),
        ("SELECT k FROM l JOIN r ON l.k = r.k", "k is in more than one table (line 1, column 8)"),
        (
            "SELECT k FROM (SELECT k FROM l) a, (SELECT n AS k FROM r) b",
            "k is in more than one table",
        ),
        ("SELECT n FROM l UNION ALL SELECT k FROM r", "no column n"),
    ],
)
def test_the_error_says_which_and_where(query: str, words: str) -> None:
    with pytest.raises(UnknownColumn) as caught:
        compiled(query)
    assert words in str(caught.value)
