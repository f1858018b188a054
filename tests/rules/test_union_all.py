"""The rule of UNION ALL."""

from __future__ import annotations

from helpers.plans import shown

QUERY = "SELECT id FROM l UNION ALL SELECT k FROM r"


def test_changes_are_added_by_position() -> None:
    text = shown(QUERY, "l", "r")
    assert text.count("UnionAll") == 1
    assert "Project `k_3` AS id_2, _weight" in text


def test_an_untouched_input_gives_no_term() -> None:
    text = shown(QUERY, "l")
    assert "Changed `l`" in text
    assert "`r`" not in text
    assert "UnionAll" not in text
