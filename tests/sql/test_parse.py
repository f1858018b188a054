"""Text to one query."""

from __future__ import annotations

import pytest

from streamtables.errors import InvalidQuery
from streamtables.sql.parse import parse_query


@pytest.mark.parametrize(
    "text", ["SELECT 1 AS x", "(SELECT 1 AS x)", "SELECT 1 AS x;", "-- c\nSELECT 1 AS x -- d"]
)
def test_one_query(text: str) -> None:
    assert parse_query(text).named_selects == ["x"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (";", "empty"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("DROP TABLE t", "DROP is not a query"),
        ("SELECT FROM WHERE", "does not parse"),
        ("SELECT 'open", "does not parse"),
    ],
)
def test_anything_else_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidQuery, match=words):
        parse_query(text)


def test_an_error_has_its_place() -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse_query("SELECT a\nFROM t WHERE a = = 1")
    assert caught.value.place is not None
    assert caught.value.place.line == 2
