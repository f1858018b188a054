"""Window functions on the driver are those of DuckDB, and have the types that they have in Spark."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlglot import parse_one

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col
from streamtables.plan.over import Over
from streamtables.spark.windows import windowed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS = {
    "k": pa.int64(),
    "a": pa.int32(),
    "b": pa.string(),
    "d": pa.decimal128(10, 2),
    "t": pa.date32(),
    "id": pa.int64(),
}
CHILD = n.Step("rows", tuple(KINDS))
NUMBERS = st.none() | st.integers(-3, 3)
CELLS = st.tuples(
    st.none() | st.integers(0, 2), NUMBERS, st.none() | st.text("aBé", max_size=2), NUMBERS, NUMBERS
)
ORDERS = (
    "a NULLS FIRST",
    "b DESC NULLS FIRST",
    "a DESC NULLS LAST, b NULLS FIRST",
    "d NULLS LAST, t DESC NULLS LAST",
    "b DESC NULLS LAST, a NULLS FIRST",
    "a DESC NULLS FIRST, b NULLS LAST",
)
KEYS = ((), ("k",), ("k", "b"))
FRAMES = (
    "",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)
FRAMED = ("sum(a)", "sum(d)", "count(*)", "count(b)", "sum(a + 1)")
EXTREMES = ("min(d)", "max(t)", "min(a)", "max(k)")
UP_TO_ROW = tuple(frame for frame in FRAMES if not frame or "UNBOUNDED PRECEDING" in frame)
UNFRAMED = ("row_number()", "rank()", "dense_rank()", "lag(b)", "lead(d, 2)", "lag(t, 0)")
CALLS = st.one_of(
    st.tuples(st.sampled_from(FRAMED), st.sampled_from(FRAMES)),
    st.tuples(st.sampled_from(EXTREMES), st.sampled_from(UP_TO_ROW)),
    st.tuples(st.sampled_from(UNFRAMED), st.just("")),
)


def called(call: str, frame: str, order: str, keys: tuple[str, ...] = ("k",)) -> str:
    """The call; ranks and frames by equal values are of the order as it is, for all else `id` breaks ties."""
    by_equals = "rank" in call or (not frame.startswith("ROWS") and call not in UNFRAMED)
    parts = f"PARTITION BY {', '.join(keys)} " if keys else ""
    return f"{call} OVER ({parts}ORDER BY {order}{'' if by_equals else ', id'} {frame})"


def window(text: str, keys: tuple[str, ...] = ("k",)) -> n.Window:
    return n.Window(CHILD, keys, (Item("found", Expr(parse_one(text, dialect="spark"))),))


def table(cells: list[tuple[Any, ...]]) -> pa.Table:
    rows = [
        (k, a, b, None if d is None else Decimal(d).scaleb(-2), t, i)
        for i, (k, a, b, d, t) in enumerate(cells)
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(KINDS)
    days = pa.array(columns[4], pa.int32()).cast(pa.date32())
    pairs = zip(KINDS.items(), columns, strict=True)
    return pa.table({name: days if name == "t" else pa.array(v, kind) for (name, kind), v in pairs})


@given(st.lists(CELLS, max_size=12), CALLS, st.sampled_from(ORDERS), st.sampled_from(KEYS))
@example([], ("sum(d)", ""), ORDERS[0], KEYS[1])
@example([(1, 2, "a", 3, 1)] * 3, ("max(t)", "ROWS UNBOUNDED PRECEDING"), ORDERS[0], KEYS[1])
def test_as_duckdb_has_them(
    cells: list[tuple[Any, ...]], call: tuple[str, str], order: str, keys: tuple[str, ...]
) -> None:
    rows, text = table(cells), called(*call, order, keys)
    found = windowed(window(text, keys), rows)
    assert found is not None
    duck = duckdb.connect()
    duck.register("cells", rows)
    expected = dict(duck.execute(f"SELECT id, {text} FROM cells").fetchall())
    pairs = zip(found.column("id").to_pylist(), found.column("found").to_pylist(), strict=True)
    assert dict(pairs) == expected


@pytest.mark.parametrize(
    "text",
    [
        "row_number() OVER (ORDER BY a + 1)",
        "sum(a) FILTER (WHERE a > 1) OVER (ORDER BY a)",
        "lead(a, 1, 0) OVER (ORDER BY id)",
        "lag(a) IGNORE NULLS OVER (ORDER BY id)",
        "avg(a) OVER (ORDER BY id)",
        "min(b) OVER (ORDER BY id)",
        "max(a) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "sum(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "sum(a) OVER (ORDER BY t RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW)",
        "sum(a) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW)",
        "count(DISTINCT a) OVER ()",
        "row_number() OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)",
    ],
)
def test_what_is_left_to_spark(text: str) -> None:
    assert windowed(window(text, ()), table([(1, 1, "a", 1, 1)])) is None


def test_what_is_no_window_call() -> None:
    assert Over.of_expr(col("a")) is None


def test_two_functions_along_one_order() -> None:
    texts = ("rank() OVER (ORDER BY a)", "sum(a) OVER (ORDER BY a)", "max(a) OVER (ORDER BY id)")
    items = (Item(f"w{i}", Expr(parse_one(text, dialect="spark"))) for i, text in enumerate(texts))
    found = windowed(
        n.Window(CHILD, (), tuple(items)), table([(1, a, "", 1, 1) for a in (2, 1, 1)])
    )
    assert found is not None
    assert [found.column(f"w{i}").to_pylist() for i in range(3)] == [
        [3, 1, 1],
        [4, 2, 2],
        [2, 2, 2],
    ]


def test_a_sum_that_may_not_fit_is_left_to_spark() -> None:
    large = table([(1, 1, "a", 1, 1)] * 2).set_column(0, "k", pa.array([2**62, 2**62]))
    assert windowed(window("sum(k) OVER (ORDER BY id)", ()), large) is None


@pytest.mark.spark
def test_as_spark_has_them(spark: SparkSession) -> None:
    cells = [
        (k, a, b, a, k)
        for k in (None, 1)
        for a in (None, -1, 2)
        for b in (None, "", "a", "B", "é", "ab", "\U0001f600", "\uffee")
    ]
    rows = table(cells)
    spark.createDataFrame(rows).createOrReplaceTempView("windowed_rows")
    texts = [called(call, "", order) for call in (*UNFRAMED, *EXTREMES) for order in ORDERS]
    texts += [called(call, frame, ORDERS[2]) for call in FRAMED for frame in FRAMES]
    names = [f"w{i}" for i in range(len(texts))]
    columns = ", ".join(f"{text} AS {name}" for text, name in zip(texts, names, strict=True))
    expected = spark.sql(f"SELECT id, {columns} FROM windowed_rows").toArrow().sort_by("id")
    for text, name in zip(texts, names, strict=True):
        found = windowed(window(text), rows)
        assert found is not None
        assert found.column("found").to_pylist() == expected.column(name).to_pylist(), text
        assert found.schema.field("found").type == expected.schema.field(name).type, text
