"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

import pytest
from helpers.plans import plan

from streamtables.plan.show import show


def test_order_alone_orders_no_bag() -> None:
    assert show(plan("SELECT id FROM l ORDER BY k")) == show(plan("SELECT id FROM l"))


@pytest.mark.parametrize(
    ("clause", "condition"),
    [
        ("LIMIT 2", "`rank` > 0 AND `rank` <= 2"),
        ("LIMIT 2 OFFSET 3", "`rank` > 3 AND `rank` <= 5"),
        ("OFFSET 3", "`rank` > 3"),
        ("LIMIT ALL OFFSET 1", "`rank` > 1"),
    ],
)
def test_limit_and_offset_are_a_filter_on_row_numbers(clause: str, condition: str) -> None:
    assert f"Filter {condition}\n" in show(plan(f"SELECT id FROM l ORDER BY k {clause}"))


@pytest.mark.parametrize("key", ["id", "1", "x"])
def test_a_key_may_be_a_column_a_place_or_an_alias(key: str) -> None:
    tree = show(plan(f"SELECT id AS x FROM l ORDER BY {key} DESC LIMIT 1"))
    assert "`id` AS x, `id` AS order" in tree
    assert "ROW_NUMBER() OVER (ORDER BY `order` DESC" in tree


def test_ties_are_broken_by_the_row_itself() -> None:
    tree = show(plan("SELECT id, k FROM l ORDER BY k LIMIT 1"))
    assert "ROW_NUMBER() OVER (ORDER BY `order`, `id_2`" in tree


def test_a_limit_in_a_correlated_subquery_is_per_outer_value() -> None:
    query = "SELECT id, (SELECT n FROM r WHERE r.k = l.k ORDER BY n LIMIT 1) AS first FROM l"
    assert "Window BY (k_3) ROW_NUMBER() OVER (PARTITION BY `k_3` ORDER BY" in show(plan(query))
