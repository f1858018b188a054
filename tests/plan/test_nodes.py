"""Nodes that cannot be are refused when they are built."""

from __future__ import annotations

import pytest

from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, col

SCAN = n.Scan("t", ("a", "b"), ("a", "b"))


def test_a_name_means_one_column() -> None:
    with pytest.raises(n.InvalidPlan, match="two columns named A"):
        n.Join((SCAN, n.Scan("u", ("A",), ("A",))))


def test_expressions_read_columns_of_the_input() -> None:
    with pytest.raises(n.InvalidPlan, match="reads"):
        n.Project(SCAN, (Item("x", col("wrong")),))


def test_set_operations_need_one_width() -> None:
    with pytest.raises(n.InvalidPlan, match="one width"):
        n.Except(SCAN, n.Scan("u", ("a",), ("c",)), all=True)


def test_columns_come_in_order() -> None:
    assert n.Join((SCAN, n.Scan("u", ("a",), ("c",)))).columns == ("a", "b", "c")
    assert n.Aggregate(SCAN, ("b",), (Item("s", col("a")),)).columns == ("b", "s")
