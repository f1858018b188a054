"""Weighted relations."""

from __future__ import annotations

from streamtables.plan import nodes as n
from streamtables.plan.show import show
from streamtables.plan.weighted import added, as_bag, consolidated, subtracted, weighted

SCAN = n.Scan("t", ("a",), ("a",))
CHANGE = n.Changed("t", ("a",), ("a",))


def test_every_row_counts_once_where_there_are_no_weights() -> None:
    assert (
        show(weighted(SCAN, ["b"], sign=-1))
        == "Project `a` AS b, -(CAST(1 AS BIGINT)) AS _weight\n  Scan t (a)"
    )
    assert as_bag(SCAN) is SCAN


def test_subtracting_a_change() -> None:
    assert (
        show(subtracted(SCAN, CHANGE))
        == """UnionAll
  Project a, CAST(1 AS BIGINT) AS _weight
    Scan t (a)
  Project a, -(`_weight`) AS _weight
    Changed t (a)"""
    )


def test_consolidating() -> None:
    assert (
        show(consolidated(CHANGE))
        == """Filter (`_weight`) <> 0
  Aggregate BY (a) SUM(`_weight`) AS _weight
    Changed t (a)"""
    )


def test_one_part_added_up_is_itself() -> None:
    assert added([CHANGE], ["a"]) is CHANGE
