"""The rule of GROUP BY."""

from __future__ import annotations

from helpers.plans import delta, shown


def test_at_the_top_touched_groups_are_compared_with_the_stored_rows() -> None:
    found = delta("SELECT k, COUNT(*) AS c FROM l GROUP BY k", "l")
    assert found is not None
    assert found.is_compared
    assert found.key == ("k_2",)
    text = shown("SELECT k, COUNT(*) AS c FROM l GROUP BY k", "l")
    assert text.startswith(
        "step_1 := touched keys\n  Project k\n    Project k, _weight\n      Changed `l` (k)"
    )
    assert (
        "step_2 := stored rows of the touched keys\n  Restrict (k_2) IN step_1\n    Stored (k_2, c)"
        in text
    )


def test_without_groups_the_one_row_is_compared() -> None:
    found = delta("SELECT COUNT(*) AS c FROM l", "l")
    assert found is not None
    assert (found.stages, found.key, found.is_compared) == ((), (), True)


def test_a_key_that_is_not_shown_leaves_nothing_to_compare_with() -> None:
    query = "SELECT COUNT(*) AS c FROM l GROUP BY k"
    found = delta(query, "l")
    assert found is not None
    assert (found.key, found.is_compared) == (None, False)
    text = shown(query, "l")
    assert text.count("Aggregate BY (k) COUNT(*) AS value") == 2
    assert "Stored" not in text


def test_old_groups_are_new_rows_less_the_change() -> None:
    text = shown("SELECT COUNT(*) AS c FROM l GROUP BY k", "l")
    assert "Copies" in text
    assert "Project k, -(`_weight`) AS _weight" in text
