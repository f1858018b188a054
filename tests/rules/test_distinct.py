"""The rule of DISTINCT."""

from __future__ import annotations

from helpers.plans import delta, shown

QUERY = "SELECT DISTINCT k FROM l"


def test_touched_rows_are_counted_and_changes_taken_back() -> None:
    text = shown(QUERY, "l")
    assert "Restrict (k_2) IN step_1" in text
    assert "CASE WHEN (`_left`) > 0 THEN" in text
    assert "CASE WHEN (`_left` - (`_left_moved`)) > 0 THEN" in text


def test_all_columns_are_the_key() -> None:
    found = delta(QUERY, "l")
    assert found is not None
    assert found.key == ("k_2",)
