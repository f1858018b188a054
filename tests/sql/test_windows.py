"""Window calls to Window nodes."""

from __future__ import annotations

import pytest
from helpers.plans import plan

from streamtables.plan.show import show


def test_one_node_per_partition_by() -> None:
    query = (
        "SELECT RANK() OVER (PARTITION BY k ORDER BY id) AS a, SUM(id) OVER (ORDER BY k) AS b, "
        "COUNT(*) OVER (PARTITION BY k) AS c FROM l"
    )
    lines = [line.strip() for line in show(plan(query)).splitlines() if "Window" in line]
    assert [line.split(" ", 3)[:3] for line in lines] == [
        ["Window", "BY", "()"],
        ["Window", "BY", "(k)"],
    ]
    assert "COUNT(*) OVER (PARTITION BY `k`)" in lines[1]


def test_the_order_of_partition_keys_does_not_matter() -> None:
    query = "SELECT SUM(id) OVER (PARTITION BY id, k) AS a, MAX(id) OVER (PARTITION BY k, id) AS b FROM l"
    assert show(plan(query)).count("Window BY") == 1


def test_the_same_call_is_computed_once() -> None:
    query = "SELECT RANK() OVER (ORDER BY id) AS a, RANK() OVER (ORDER BY id) + 1 AS b FROM l"
    assert show(plan(query)).count("RANK()") == 1


def test_partitioning_by_a_constant_is_none() -> None:
    assert "Window BY ()" in show(plan("SELECT SUM(id) OVER (PARTITION BY 1) AS s FROM l"))


def test_a_computed_partition_key_becomes_a_column() -> None:
    tree = show(plan("SELECT SUM(id) OVER (PARTITION BY k % 2) AS s FROM l"))
    assert "Window BY (part) SUM(`id`) OVER (PARTITION BY `part`)" in tree


@pytest.mark.parametrize(
    ("over", "written"),
    [
        ("w", "(PARTITION BY k ORDER BY id)"),
        ("(w)", "(PARTITION BY k ORDER BY id)"),
        ("W", "(PARTITION BY k ORDER BY id)"),
    ],
)
def test_a_named_window_is_written_out(over: str, written: str) -> None:
    window = "WINDOW w AS (PARTITION BY k ORDER BY id)"
    named = show(plan(f"SELECT RANK() OVER {over} AS a FROM l {window}"))
    assert named == show(plan(f"SELECT RANK() OVER {written} AS a FROM l"))


def test_qualify_filters_above_the_window() -> None:
    lines = show(plan("SELECT id FROM l QUALIFY RANK() OVER (ORDER BY k) = 1")).splitlines()
    assert [line.split()[0] for line in lines] == ["Project", "Filter", "Window", "Scan"]


def test_a_window_of_an_aggregate_stands_above_it() -> None:
    query = "SELECT k, RANK() OVER (ORDER BY SUM(id)) AS p FROM l GROUP BY k"
    lines = show(plan(query)).splitlines()
    assert [line.split()[0] for line in lines][:3] == ["Project", "Window", "Aggregate"]
