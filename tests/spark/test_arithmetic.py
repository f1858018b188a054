"""Numbers computed on the driver are those that Spark computes, of the same types; the rest it leaves."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import parse_one

from streamtables.plan.expr import Expr
from streamtables.spark.arithmetic import sum_type
from streamtables.spark.computed import number, tried, truth

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = pa.decimal128(10, 2)
ROWS = pa.table(
    {
        "a": pa.array([3, 0, -7, None, 2**40], pa.int64()),
        "b": pa.array([2, 5, None, 1, -3], pa.int64()),
        "i": pa.array([1, -1, 2**31 - 1, None, 0], pa.int32()),
        "d": pa.array(map(Decimal, ("1.00", "-2.55", "99999999.99", "0.01", "7.77")), SMALL),
        "s": pa.array([Decimal("10.05"), None, Decimal("-1e17"), Decimal(2), Decimal(1)], pa.decimal128(20, 2)),
        "w": pa.array([Decimal(1)] * 5, pa.decimal128(38, 8)),
        "t": ["forest green", "a_b%c", None, "", "line\nforest é"],
        "day": pa.array([0, 10_000, -1, None, 9496], pa.date32()),
    }
)  # fmt: skip
COMPUTED = [
    "a + b",
    "a - b",
    "-a",
    "a * b",
    "a * i",
    "d * b",
    "b * d",
    "s * b",
    "CASE WHEN d IS NULL THEN 0 ELSE b END",
    "CASE WHEN a IS NULL THEN 0 ELSE b END",
    "CASE WHEN a > 0 THEN CAST(s AS DECIMAL(24, 2)) END",
    "CASE WHEN b > 0 THEN CAST(CAST(s AS DECIMAL(20, 2)) / b AS DECIMAL(24, 6)) END",
    "CASE WHEN b > 0 THEN CAST(d / b AS DECIMAL(14, 6)) END",
    "CASE WHEN b <> 0 THEN a / b END",
    "CAST(i AS BIGINT)",
    "CAST(d AS DECIMAL(12, 1))",
    "d + d",
    "d - s",
    "d * d",
    "d * i",
    "i - d",
    "-d",
    "d * (1 - d)",
    "d * -12",
    "0.2 * d",
    "d + 0.05 * 10.50",
    "CASE WHEN t LIKE 'forest%' THEN d * (1 - s) END",
    "CASE WHEN day >= CAST('1995-12-31' AS DATE) + INTERVAL '2' MONTH THEN d END",
    "EXTRACT(YEAR FROM day)",
    "LEAST(a, b)",
    "GREATEST(a, b)",
    "GREATEST(i, b)",
    "i - 0",
    "i + a",
    "0 - i",
    "CASE WHEN i < 9 THEN i + 1 END",
    "CASE WHEN i > 0 THEN i ELSE 0 END",
    "CASE WHEN a > 0 THEN 1 ELSE 0 END",
    "CASE WHEN a > 0 THEN 1 ELSE b END",
    "i / 2",
    "7",
    "-7 + 3000000000",
    "CAST(i AS INT)",
    "a + 1",
]
LEFT = (
    *("i + i", "w + d", "w * d", "d / b", "1 - i - i", "a % b", "a / 0"),
    *("CAST(a AS INT)", "CAST(d AS BIGINT)", "abs(a)"),
)


def read(text: str) -> Expr:
    return Expr(parse_one(text))


@pytest.mark.spark
def test_as_spark_does(spark: SparkSession) -> None:
    frame = spark.createDataFrame(ROWS)
    expected = frame.selectExpr(*(f"{text} AS c{i}" for i, text in enumerate(COMPUTED))).toArrow()
    for i, text in enumerate(COMPUTED):
        values = number(read(text), ROWS)
        assert values is not None, text
        told = (text, values.type, values.to_pylist())
        assert told == (text, expected.column(i).type, expected.column(i).to_pylist())


@pytest.mark.spark
def test_sums_have_sparks_types(spark: SparkSession) -> None:
    names = ("a", "d", "s", "i")
    sums = spark.createDataFrame(ROWS).selectExpr(*(f"sum({name}) AS {name}" for name in names))
    kinds = {name: sum_type(ROWS.column(name)) for name in names}
    assert kinds == {name: sums.toArrow().column(name).type for name in names}


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_to_spark(text: str) -> None:
    assert tried(lambda: number(read(text), ROWS)) is None


@pytest.mark.parametrize("text", ["a * a", "a + 9223372036854775807", "CAST(d AS DECIMAL(4, 2))"])
def test_what_is_too_large_is_sparks_to_tell(text: str) -> None:
    wide = text.replace("9223372036854775807", "CAST(9223372036854775807 AS BIGINT)")
    assert tried(lambda: number(read(wide), ROWS)) is None


def test_a_sum_that_may_be_too_large() -> None:
    assert sum_type(pa.chunked_array([[2**62, 2**62]])) is None
    most = pa.chunked_array([pa.array([Decimal("9" * 38)] * 2, pa.decimal128(38, 0))])
    assert sum_type(most) is None
    assert sum_type(pa.chunked_array([[1.5]])) is None


@given(st.integers(-(10**18), 10**18), st.integers(1, 10**9))
def test_a_quotient_is_rounded_at_its_half(cents: int, count: int) -> None:
    value = Decimal(cents).scaleb(-2)
    rows = pa.table({"s": pa.array([value], pa.decimal128(20, 2)), "n": [count]})
    found = number(read("CAST(s / n AS DECIMAL(24, 6))"), rows).to_pylist()[0]
    # |found - s / n| ≤ half of the last place, in whole numbers; at the half away from zero.
    off = abs(cents) * 10**4 * 2 - int(abs(found) * 10**6) * count * 2
    assert -count <= off < count


CONDITIONS = [
    "d > 0",
    "d <= s",
    "d < i",
    "s = 2",
    "d BETWEEN 0.06 - 0.01 AND 7.77",
    "NOT a BETWEEN b AND 5",
    "a IN (3, -7, 8)",
    "b NOT IN (2, 5)",
    "t IN ('', 'x')",
    "t LIKE 'forest%'",
    "t LIKE '%forest _'",
    "t NOT LIKE '%_%c'",
    "t LIKE 'line%'",
    "t > 'a'",
    "day < CAST('1996-01-31' AS DATE) + INTERVAL '1' MONTH",
    "day >= CAST('1996-02-29' AS DATE) - INTERVAL '1' YEAR",
    "day BETWEEN CAST('1969-12-31' AS DATE) AND CAST('1970-01-01' AS DATE) + INTERVAL '3' DAY",
    "day = CAST('1996-01-01' AS DATE) OR t IS NULL AND NOT d > 0",
]


@pytest.mark.spark
def test_conditions_as_spark_judges_them(spark: SparkSession) -> None:
    frame = spark.createDataFrame(ROWS)
    judged = frame.selectExpr(*(f"{text} AS c{i}" for i, text in enumerate(CONDITIONS))).toArrow()
    for i, text in enumerate(CONDITIONS):
        found = tried(lambda: truth(read(text), ROWS))  # noqa: B023
        assert found is not None, text
        assert (text, found.to_pylist()) == (text, judged.column(i).to_pylist())


@pytest.mark.parametrize(
    "text",
    [
        *("t LIKE 'a\\\\_b'", "t > 1", "day > '1996-01-01'", "a IN (1, NULL)", "upper(t) = 'A'"),
        *("day > CAST('9999-12-31' AS DATE) + INTERVAL '1' DAY", "day > CAST('1996' AS DATE)", "d"),
        *("t LIKE t", "a > 1.5D", "day > CAST('1996-01-01' AS DATE) + INTERVAL '1' HOUR"),
    ],
)
def test_conditions_that_are_left_to_spark(text: str) -> None:
    assert tried(lambda: truth(read(text), ROWS)) is None


def test_conditions() -> None:
    assert truth(read("i > 0"), ROWS).to_pylist() == [True, False, True, None, False]
    assert truth(read("a IS NULL"), ROWS).to_pylist() == [False, False, False, True, False]
