"""The rule of window functions."""

from __future__ import annotations

from helpers.plans import delta, shown

QUERY = "SELECT id, RANK() OVER (PARTITION BY k ORDER BY id) AS a{shown} FROM l"


def test_at_the_top_touched_partitions_are_compared_with_the_stored_rows() -> None:
    query = QUERY.format(shown=", k")
    found = delta(query, "l")
    assert found is not None
    assert (found.is_compared, found.key) == (True, None)
    text = shown(query, "l")
    assert text.count("Window") == 1
    assert "Window BY (k) RANK() OVER (PARTITION BY `k` ORDER BY `id`) AS window\n" in text
    assert (
        "step_2 := stored rows of the touched keys\n  Restrict (k_2) IN step_1\n    Stored (id_2, a, k_2)"
        in text
    )


def test_partitions_that_are_not_shown_are_computed_as_they_were() -> None:
    text = shown(QUERY.format(shown=""), "l")
    assert text.count("Window BY (k)") == 2
    assert "Copies" in text
    assert "Stored" not in text


def test_one_window_over_another_starts_at_its_change() -> None:
    query = "SELECT SUM(id) OVER (PARTITION BY k) AS a, SUM(id) OVER (PARTITION BY id) AS b FROM l"
    notes = [stage.note for stage in delta(query, "l").stages]  # type: ignore[union-attr]
    assert notes == [
        "touched keys",
        "change of Window",
        "touched keys",
        "rows of the touched groups",
    ]
