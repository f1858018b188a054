"""GROUPING SETS, ROLLUP and CUBE written out."""

from __future__ import annotations

import pytest
from helpers.plans import plan

from streamtables.plan.show import show
from streamtables.sql.grouping_sets import grouping_sets
from streamtables.sql.parse import parse_query


@pytest.mark.parametrize(
    ("clause", "sets"),
    [
        ("a, b", None),
        ("ROLLUP (a, b)", ["ab", "a", ""]),
        ("CUBE (a, b)", ["ab", "a", "b", ""]),
        ("GROUPING SETS ((a, b), a, ())", ["ab", "a", ""]),
        ("a, b WITH ROLLUP", ["ab", "a", ""]),
        ("a, b WITH CUBE", ["ab", "a", "b", ""]),
        ("a, b GROUPING SETS ((a, b), b)", ["ab", "b"]),
        ("a, ROLLUP (b)", ["ab", "a"]),
        ("ROLLUP (a), CUBE (b)", ["ab", "a", "b", ""]),
        ("ROLLUP ((a, b), c)", ["abc", "ab", ""]),
        ("GROUPING SETS (ROLLUP (a), b)", ["a", "", "b"]),
        ("GROUPING SETS (a, a)", ["a", "a"]),
    ],
)
def test_sets(clause: str, sets: list[str] | None) -> None:
    found = grouping_sets(parse_query(f"SELECT 1 FROM t GROUP BY {clause}").args["group"])
    assert (found and ["".join(key.name for key in chosen) for chosen in found]) == sets


def test_a_null_of_the_data_and_one_of_a_total_have_different_keys() -> None:
    tree = show(plan("SELECT k, COUNT(*) AS c FROM l GROUP BY ROLLUP (k)"))
    assert "Aggregate BY (grouping_set, k_2) COUNT(*) AS value" in tree
    assert "CASE WHEN `grouping_set` IN (0) THEN `k` END AS k_2" in tree


def test_an_aggregate_of_a_key_reads_the_key_before_it_is_masked() -> None:
    assert "SUM(`k`)" in show(plan("SELECT k, SUM(k) AS s FROM l GROUP BY ROLLUP (k)"))


def test_grouping_is_told_by_the_number_of_the_set() -> None:
    tree = show(
        plan("SELECT GROUPING(k) AS g, GROUPING_ID(id, k) AS i FROM l GROUP BY CUBE (id, k)")
    )
    assert "CAST((CASE WHEN `grouping_set` IN (0, 2) THEN 0 ELSE 1 END) AS TINYINT) AS g" in tree


def test_a_place_in_the_list_is_a_key_of_sets_too() -> None:
    by_name, by_place = (
        show(plan(f"SELECT k, COUNT(*) AS c FROM l GROUP BY ROLLUP ({key})")) for key in ("k", "1")
    )
    assert by_name == by_place
