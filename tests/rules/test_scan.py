"""The rule of a source."""

from __future__ import annotations

from helpers.plans import delta, shown


def test_the_change_of_a_source_is_its_change_feed() -> None:
    assert "Changed `l` (id, k)" in shown("SELECT id, k FROM l", "l")
    assert "Scan" not in shown("SELECT id, k FROM l", "l")


def test_only_the_columns_used_are_read() -> None:
    assert "Changed `l` (k)" in shown("SELECT k FROM l", "l")


def test_a_query_of_other_tables_has_no_change() -> None:
    assert delta("SELECT id FROM l", "r") is None
