"""The rule of UNION."""

from __future__ import annotations

from helpers.plans import shown

QUERY = "SELECT k FROM l UNION SELECT k FROM r"


def test_both_sides_are_counted_and_only_the_changed_one_moved() -> None:
    text = shown(QUERY, "r")
    assert "CASE WHEN (`_left` + `_right`) > 0 THEN" in text
    assert "`_weight` AS _right_moved" in text
    assert "`_weight` AS _left_moved" not in text


def test_rows_of_the_right_side_are_named_by_the_left() -> None:
    assert "Project `k_4` AS k_2, _weight" in shown(QUERY, "r").partition("change :=")[0]
