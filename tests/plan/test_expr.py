"""Scalar expressions."""

from __future__ import annotations

import sqlglot

from streamtables.plan.expr import Expr, col, product, same
from streamtables.sql.literals import among, literal


def parsed(text: str) -> Expr:
    return Expr(sqlglot.parse_one(text, read="spark"))


def test_columns_and_how_often_they_are_read() -> None:
    expr = parsed("a + b * a")
    assert expr.columns == {"a", "b"}
    assert sorted(expr.column_uses()) == ["a", "a", "b"]


def test_replacing_keeps_what_binds_together() -> None:
    assert str(parsed("a * 2").replaced({"a": parsed("b + 1")})) == "(b + 1) * 2"


def test_renaming_at_once_can_swap() -> None:
    assert str(parsed("`a` - `b`").renamed({"a": "b", "b": "a"})) == "`b` - `a`"


def test_conjuncts() -> None:
    assert [str(part) for part in parsed("a AND (b AND c OR d) AND (e AND f)").conjuncts()] == [
        "a",
        "(b AND c OR d)",
        "e",
        "f",
    ]


def test_only_an_equality_of_columns_is_one() -> None:
    assert parsed("a = b").equality() == ("a", "b")
    assert parsed("a = b + 1").equality() is None
    assert parsed("a <=> b").equality() == ("a", "b")


def test_among_knows_null() -> None:
    one, null = literal(1), literal(None)
    assert one is not None
    assert null is not None
    assert str(among("a", [one])) == "`a` IN (1)"
    assert str(among("a", [one, null])) == "(`a` IN (1) OR `a` IS NULL)"
    assert str(among("a", [])) == "FALSE"


def test_a_product_of_nothing_is_one() -> None:
    assert str(product([])) == "CAST(1 AS BIGINT)"
    assert str(same(col("a b"), col("`"))) == "`a b` IS NOT DISTINCT FROM ````"
