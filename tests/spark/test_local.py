"""What the driver answers by itself is what Spark would answer; the rest it leaves."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from sqlglot import parse_one

from streamtables.plan import nodes as n
from streamtables.plan.expr import (
    Expr,
    Item,
    always,
    col,
    greatest,
    is_above_zero,
    is_not_zero,
    item,
    least,
    lit,
    minus,
    negated,
    never,
    one_if,
    plus,
    times,
    total,
)
from streamtables.spark.local import answer

STEP = n.Step("step_1", ("k", "v", n.WEIGHT))
ROWS = pa.table({"k": ["a", None, "a", None], "v": [1, 2, 3, 4], n.WEIGHT: [1, 1, -1, 2]})


def leaf(_: n.Node) -> pa.Table:
    return ROWS


def test_different_keys_with_null_as_one_value() -> None:
    found = answer(n.Aggregate(STEP, ("k",), ()), leaf)
    assert sorted(found.column("k").to_pylist(), key=str) == [None, "a"]


def test_renamed_columns_of_two_changes() -> None:
    other = n.Project(STEP, (Item("k", col("k")),))
    both = n.UnionAll((other, n.Project(STEP, (item("k"),))))
    assert answer(n.Aggregate(both, ("k",), ()), leaf).num_rows == 2


def test_rows_counted_above_zero() -> None:
    counted = pa.table({"k": ["a", "b", "c"], "v": [1, 0, None], n.WEIGHT: [1, 1, 1]})
    found = answer(n.Filter(STEP, is_above_zero(col("v"))), lambda _: counted)
    assert found.column("k").to_pylist() == ["a"]
    text = pa.table({"k": ["1", "0"], "v": [1, 1], n.WEIGHT: [1, 1]})
    assert answer(n.Filter(STEP, is_above_zero(col("k"))), lambda _: text) is None


@pytest.mark.parametrize(
    "plan",
    [
        n.Project(STEP, (Item("x", times(col("v"), lit(2**62))),)),
        n.Project(STEP, (Item("x", minus(lit(-(2**63)), col("v"))),)),
        n.Project(STEP, (Item("x", plus(col("k"), lit(1))),)),
        n.Aggregate(STEP, ("k",), (Item("x", total(plus(col("k"), lit(1)))),)),
        n.Filter(STEP, col("k")),
        n.Scan("t", ("k",), ("k",)),
    ],
)
def test_what_it_leaves_to_spark(plan: n.Node) -> None:
    assert answer(plan, leaf) is None


def test_counts_compared_and_added_up() -> None:
    here = pa.table({"k": ["a", "b", "a", "c"], "v": [1, None, 3, 0], n.WEIGHT: [2, 1, -1, 5]})
    forms = {
        "sign": one_if(is_above_zero(minus(col("v"), lit(1)))),
        "low": least(col("v"), col(n.WEIGHT)),
        "high": greatest(minus(col("v"), col(n.WEIGHT)), lit(0)),
        "turned": negated(plus(col("v"), col(n.WEIGHT))),
    }
    items = tuple(Item(name, expr) for name, expr in forms.items())
    assert answer(n.Project(STEP, items), lambda _: here).to_pydict() == {
        "sign": [0, 0, 1, 0],
        "low": [1, 1, -1, 0],
        "high": [0, 0, 4, 0],
        "turned": [-3, None, -2, -5],
    }
    kept = answer(n.Filter(STEP, is_not_zero(col("v"))), lambda _: here)
    assert kept.column("k").to_pylist() == ["a", "a"]
    sums = (Item("s", total(col("v"))), Item("n", total(col(n.WEIGHT))), Item("t", total(col("v"))))
    groups = answer(n.Aggregate(STEP, ("k",), sums), lambda _: here)
    assert sorted(map(tuple, (row.values() for row in groups.to_pylist())))[:1] == [("a", 4, 1, 4)]
    assert {row["k"]: row["s"] for row in groups.to_pylist()} == {"a": 4, "b": None, "c": 0}


def test_one_row_of_all_rows_and_of_none() -> None:
    items = (Item("s", total(col("v"))), Item("n", Expr(parse_one("count(*)"))))
    plan = n.Aggregate(STEP, (), items)
    assert answer(plan, leaf).to_pylist() == [{"s": 10, "n": 4}]
    assert answer(plan, lambda _: ROWS.slice(0, 0)).to_pylist() == [{"s": None, "n": 0}]


def test_rows_as_often_as_their_weights_say() -> None:
    rows = pa.table({"k": ["a", "b", "c"], "v": [1, 2, 3], n.WEIGHT: [2, 1, 3]})
    found = answer(n.Copies(STEP), lambda _: rows)
    assert found.to_pydict() == {"k": [*"aabccc"], "v": [1, 1, 2, 3, 3, 3]}


def test_constants_beside_columns() -> None:
    items = (Item("t", always()), Item("f", never()), Item("x", Expr(parse_one("'x'"))))
    found = answer(n.Project(STEP, items), leaf)
    assert found.to_pylist() == [{"t": True, "f": False, "x": "x"}] * 4


def test_sums_that_may_be_too_large_are_left_to_spark() -> None:
    large = pa.table({"k": ["a", "a"], "v": [2**62, 2**62], n.WEIGHT: [1, 1]})
    plan = n.Aggregate(STEP, ("k",), (Item("s", total(col("v"))),))
    assert answer(plan, lambda _: large) is None


@pytest.mark.parametrize("odd", [float("nan"), -0.0])
def test_floats_but_for_odd_ones_which_are_left_to_spark(odd: float) -> None:
    plan = n.Aggregate(STEP, ("k",), (Item("m", Expr(parse_one("max(k)"))),))
    floats = pa.table({"k": [0.0, 0.0, None], "v": [1, 1, 1], n.WEIGHT: [1, 1, 1]})
    found = answer(plan, lambda _: floats).to_pylist()
    assert sorted(map(str, found)) == ["{'k': 0.0, 'm': 0.0}", "{'k': None, 'm': None}"]
    odd_ones = pa.table({"k": [0.0, odd], "v": [1, 1], n.WEIGHT: [1, 1]})
    assert answer(plan, lambda _: odd_ones) is None


def test_a_leaf_that_is_not_here() -> None:
    assert answer(STEP, lambda _: None) is None


def test_sums_of_what_is_computed() -> None:
    rows = pa.table({"k": ["a", "a", "b"], "v": [2, None, 5], n.WEIGHT: [1, 1, -2]})
    sums = (Item("s", total(times(col("v"), col(n.WEIGHT)))), Item("n", total(col(n.WEIGHT))))
    found = answer(n.Aggregate(STEP, ("k",), sums), lambda _: rows)
    assert sorted(map(tuple, (row.values() for row in found.to_pylist()))) == [
        ("a", 2, 2),
        ("b", -10, -2),
    ]


def test_decimals_of_one_scale_are_as_wide_as_the_widest() -> None:
    kinds = pa.decimal128(10, 2), pa.decimal128(20, 2), pa.decimal128(20, 3)
    one, two, other = (pa.table({"v": pa.array([Decimal("1.50")], kind)}) for kind in kinds)
    parts = [n.Step("one", ("v",)), n.Step("two", ("v",)), n.Step("other", ("v",))]
    found = answer(n.UnionAll(tuple(parts[:2])), lambda step: one if step.name == "one" else two)
    assert found.schema.types == [pa.decimal128(20, 2)]
    assert (
        answer(n.UnionAll(tuple(parts[1:])), lambda step: two if step.name == "two" else other)
        is None
    )
