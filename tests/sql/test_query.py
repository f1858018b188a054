"""A query's text with exchangeable tables."""

from __future__ import annotations

import pytest

from streamtables.sql.query import Query


def reading(text: str, **tables: str) -> str:
    return Query.parse(text).reading({f"`{name}`": put for name, put in tables.items()})


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("SELECT a FROM t", "SELECT a FROM `new_0` AS `t`"),
        ("SELECT t.a FROM t;", "SELECT t.a FROM `new_0` AS `t`"),
        ("SELECT x.a FROM t x", "SELECT x.a FROM `new_0` x"),
        ("SELECT a FROM t /* t */ -- t", "SELECT a FROM `new_0` AS `t` /* t */ -- t"),
        ("SELECT 't' AS t FROM t", "SELECT 't' AS t FROM `new_0` AS `t`"),
        (
            "WITH t AS (SELECT a FROM t) SELECT a FROM t",
            "WITH t AS (SELECT a FROM `new_0` AS `t`) SELECT a FROM t",
        ),
        (
            "SELECT (SELECT 1 FROM t) FROM t x",
            "SELECT (SELECT 1 FROM `new_0` AS `t`) FROM `new_0` x",
        ),
    ],
)
def test_only_the_tables_change(text: str, read: str) -> None:
    assert reading(text, t="new_0") == read


def test_a_name_cannot_become_sql() -> None:
    query = Query.parse("SELECT 1 AS x FROM `a`` AS b; DROP TABLE c; --`")
    (name,) = query.names
    assert name.parts == ("a` AS b; DROP TABLE c; --",)
    assert (
        query.reading({name.key: "new`0"})
        == "SELECT 1 AS x FROM `new``0` AS `a`` AS b; DROP TABLE c; --`"
    )


def test_names_come_once_in_the_order_of_the_text() -> None:
    names = Query.parse("SELECT * FROM b JOIN s.a ON TRUE JOIN b c ON TRUE").names
    assert [str(name) for name in names] == ["b", "s.a"]
