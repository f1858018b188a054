"""ROW_NUMBER on the driver is that of sorting rows one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, Order, col, row_number
from streamtables.spark.ranked import numbered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHILD = n.Step("rows", ("k", "a", "b", "id"))
ORDERS = st.builds(Order, st.sampled_from("ab"), st.booleans(), st.booleans())
CELLS = st.tuples(
    st.none() | st.integers(0, 2),
    st.none() | st.integers(-2, 2),
    st.none() | st.text("aBé", max_size=2),
)


def window(keys: tuple[str, ...], order: list[Order]) -> n.Window:
    return n.Window(CHILD, keys, (Item("rank", row_number([*order, Order("id")])),))


def table(cells: list[tuple[Any, ...]]) -> pa.Table:
    rows = [(*cell, i) for i, cell in enumerate(cells)]
    kinds = (pa.int64(), pa.int64(), pa.string(), pa.int64())
    columns = zip(*rows, strict=True) if rows else ((),) * 4
    named = zip(CHILD.columns, columns, kinds, strict=True)
    return pa.table({name: pa.array(values, kind) for name, values, kind in named})


@given(
    st.lists(CELLS, max_size=12),
    st.lists(ORDERS, max_size=2),
    st.sampled_from([(), ("k",), ("k", "b")]),
)
def test_as_rows_are_sorted(
    cells: list[tuple[Any, ...]], order: list[Order], keys: tuple[str, ...]
) -> None:
    rows = table(cells)
    found = numbered(window(keys, order), rows)
    assert found is not None
    before: dict[tuple[Any, ...], int] = {}
    expected = {}
    for row in _sorted(rows.to_pylist(), order):
        key = tuple(row[name] for name in keys)
        expected[row["id"]] = before[key] = before.get(key, 0) + 1
    assert {row["id"]: row["rank"] for row in found.to_pylist()} == expected


def _sorted(rows: list[dict[str, Any]], order: list[Order]) -> list[dict[str, Any]]:
    for key in reversed(order):
        missing = [row for row in rows if row[key.column] is None]
        there = [row for row in rows if row[key.column] is not None]
        there.sort(key=lambda row: row[key.column], reverse=False)
        if key.is_descending:
            values = sorted({row[key.column] for row in there}, reverse=True)
            there = [row for value in values for row in there if row[key.column] == value]
        rows = [*missing, *there] if key.is_null_first else [*there, *missing]
    return rows


@pytest.mark.parametrize("text", ["rank() OVER (ORDER BY a)", "row_number() OVER (ORDER BY a + 1)"])
def test_what_is_left_to_spark(text: str) -> None:
    from sqlglot import parse_one

    plan = n.Window(CHILD, (), (Item("rank", Expr(parse_one(text, dialect="spark"))),))
    assert numbered(plan, table([(1, 1, "a")])) is None


@pytest.mark.spark
def test_as_spark_numbers_them(spark: SparkSession) -> None:
    cells = [
        (k, a, b)
        for k in (None, 1)
        for a in (None, -1, 2)
        for b in (None, "", "a", "B", "é", "ab", "\U0001f600", "\uffee")
    ]
    rows = table(cells)
    spark.createDataFrame(rows).createOrReplaceTempView("ranked_rows")
    for order in (
        [Order("b")],
        [Order("b", True, False), Order("a")],
        [Order("a", True), Order("b", False, False)],
    ):
        plan = window(("k",), order)
        text = str(plan.items[0].expr).replace("OVER (", "OVER (PARTITION BY k ")
        expected = spark.sql(f"SELECT id, {text} AS rank FROM ranked_rows").toArrow()
        found = numbered(plan, rows)
        assert found is not None
        pairs = [
            dict(zip(*(t.column(name).to_pylist() for name in ("id", "rank")), strict=True))
            for t in (found, expected)
        ]
        assert pairs[0] == pairs[1]
        assert found.schema.field("rank").type == expected.schema.field("rank").type
    assert col("a").order() is None
