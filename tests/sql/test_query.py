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


def test_tables_called_alike_get_names_of_their_own() -> None:
    query = Query.parse("SELECT a.t.k, b.t.*, x FROM a.t JOIN b.t ON A.T.k = b.t.k")
    assert [str(name) for name in query.names] == ["a.t", "b.t"]
    assert (
        query.text
        == "SELECT `a_t`.k, `b_t`.*, x FROM a.t AS `a_t` JOIN b.t AS `b_t` ON `a_t`.k = `b_t`.k"
    )


def test_a_join_with_a_name_is_a_query() -> None:
    query = Query.parse("SELECT j.x FROM (l JOIN r USING (k)) AS j (k, x, y)")
    assert query.text == "SELECT j.x FROM (SELECT * FROM l JOIN r USING (k)) AS j (k, x, y)"
