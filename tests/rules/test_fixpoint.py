"""The rule of recursion."""

from __future__ import annotations

from helpers.plans import shown

QUERY = (
    "WITH RECURSIVE t AS (SELECT id FROM l WHERE k IS NULL UNION ALL SELECT r.k FROM t JOIN r ON r.n = t.id) "
    "SELECT {what} FROM t"
)


def test_at_the_top_the_new_rows_are_compared_with_the_stored_ones() -> None:
    text = shown(QUERY.format(what="id"), "l")
    assert text.count("Fixpoint") == 1
    assert "Stored" in text


def test_below_the_top_it_runs_as_it_is_and_as_it_was() -> None:
    text = shown(QUERY.format(what="DISTINCT id"), "l")
    assert text.count("Fixpoint t_rows_old ") == 1
    assert text.count("Recur t_rows_old") == 1
    assert "old input of a recursion" in text


def test_what_did_not_change_is_read_as_it_is() -> None:
    text = shown(QUERY.format(what="DISTINCT id"), "l")
    assert "Changed `r`" not in text
