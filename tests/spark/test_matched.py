"""Joins on the driver meet the rows that Spark's would; the rest is left."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import parse_one

from streamtables.plan.expr import Expr
from streamtables.spark.matched import joined, matched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST = 10_000
VALUES = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=8)
LEFT, RIGHT = ("a", "b"), ("c", "d")
FORMS = {
    "a = c": lambda a, _, c, __: None not in (a, c) and a == c,
    "a <=> c": lambda a, _, c, __: a == c,
    "a = c AND b <=> d": lambda a, b, c, d: None not in (a, c) and a == c and b == d,
    "d = a AND b > c": lambda a, b, c, d: None not in (a, b, c, d) and d == a and b > c,
    "a = c AND (b = 1 OR d IS NULL)": lambda a, b, c, d: (
        None not in (a, c) and a == c and (b == 1 or d is None)
    ),
}


def table(rows: list[tuple[Any, Any]], names: tuple[str, str]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((), ())
    return pa.table(
        {name: pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)}
    )


def on(text: str) -> list[Expr]:
    return [Expr(parse_one(text, dialect="spark"))]


def bag(rows: pa.Table | None) -> Counter[tuple[Any, ...]]:
    assert rows is not None
    return Counter(tuple(row.values()) for row in rows.to_pylist())


@pytest.mark.parametrize("text", FORMS)
@given(left=ROWS, right=ROWS)
def test_rows_that_meet(text: str, left: list[Any], right: list[Any]) -> None:
    ours, theirs = table(left, LEFT), table(right, RIGHT)
    met = [(*one, *other) for one in left for other in right if FORMS[text](*one, *other)]
    having = [one for one in left if any(FORMS[text](*one, *other) for other in right)]
    alone = [one for one in left if one not in having]
    assert bag(joined([ours, theirs], on(text), MOST)) == Counter(met)
    assert bag(matched(ours, theirs, on(text), "semi", MOST)) == Counter(having)
    assert bag(matched(ours, theirs, on(text), "anti", MOST)) == Counter(alone)
    padded = [(*one, None, None) for one in alone]
    assert bag(matched(ours, theirs, on(text), "left", MOST)) == Counter(met + padded)


def test_three_tables() -> None:
    tables = [table([(1, 2), (2, 2)], LEFT), table([(2, 7)], RIGHT), table([(7, 1)], ("e", "f"))]
    assert bag(joined(tables, on("b = c AND d = e AND a = f"), MOST)) == Counter(
        [(1, 2, 2, 7, 7, 1)]
    )


@pytest.mark.parametrize(
    "text", ["a > c", "a + 1 = c", "b = 1", "a = c OR b = d", "a = c AND b LIKE d"]
)
def test_what_is_left_to_spark(text: str) -> None:
    rows = table([(1, 1)], LEFT), table([(1, 1)], RIGHT)
    assert joined(rows, on(text), MOST) is None
    assert matched(*rows, on(text), "anti", MOST) is None
    assert matched(*rows, on("a = c"), "full", MOST) is None


def test_types_that_differ_or_are_no_keys_here() -> None:
    small = pa.table({"c": pa.array([1], pa.int32()), "d": [1]})
    assert joined([table([(1, 1)], LEFT), small], on("a = c"), MOST) is None
    floats = pa.table({"a": [0.0]}), pa.table({"c": [-0.0]})
    assert joined(floats, on("a = c"), MOST) is None


def test_more_pairs_than_the_driver_should_hold() -> None:
    one, other = table([(1, 1)] * 101, LEFT), table([(1, 1)] * 100, RIGHT)
    assert joined([one, other], on("a = c"), 10_099) is None
    assert bag(joined([one, other], on("a = c"), 10_100)).total() == 10_100


@pytest.mark.spark
def test_other_columns_go_along(spark: SparkSession) -> None:
    """Also those of types that are no keys, as Spark has them."""
    left = spark.sql("SELECT 1 AS a, array(1, NULL) AS b, 'x' AS s UNION ALL SELECT 2, NULL, 'y'")
    right = spark.sql("SELECT 1 AS c, array(1.5D, NULL) AS d")
    found = matched(left.toArrow(), right.toArrow(), on("a = c"), "left", MOST)
    left.createOrReplaceTempView("one")
    right.createOrReplaceTempView("other")
    expected = spark.sql("SELECT * FROM one LEFT JOIN other ON a = c").toArrow()
    assert found is not None
    assert found.schema.types == expected.schema.types
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, expected.to_pylist()))
