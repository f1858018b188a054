"""The rule of outer, semi and anti joins, and of marks."""

from __future__ import annotations

import pytest
from helpers.plans import shown

LEFT = "SELECT l.id, r.n FROM l LEFT JOIN r ON l.k = r.k"
FULL = LEFT.replace("LEFT", "FULL")
SEMI = "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k)"
ANTI = SEMI.replace("EXISTS", "NOT EXISTS")
MARK = "SELECT id, EXISTS (SELECT 1 FROM r WHERE r.k = l.k) AS e FROM l"
BAND = "SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k > l.k)"


def test_the_left_change_meets_the_new_right_rows_of_its_keys() -> None:
    assert (
        shown(LEFT, "l")
        == """change :=
  Filter (`_weight`) <> 0
    Aggregate BY (id_2, n_2) SUM(`_weight`) AS _weight
      Project `id` AS id_2, `n` AS n_2, _weight
        Project id, k, k_2, n, _weight
          Match LEFT ON `k` = `k_2`
            Changed `l` (id, k)
            Narrow k_2 IN changed `l`.k
              Scan `r` (k_2, n)"""
    )


def test_the_right_change_joins_the_old_left_rows_and_takes_back_or_gives_padded_ones() -> None:
    text = shown(LEFT, "r")
    assert text.startswith("step_1 := touched keys\n  Aggregate BY (k_2)\n    Changed `r`")
    assert "step_2 := keys that began or ceased to be met" in text
    assert "Project id, k, NULL AS k_2, NULL AS n, CAST(0 AS BIGINT) - (`_weight`)" in text
    assert "Narrow k IN changed `r`.k_2" in text
    assert "Narrow k IN step_2.k_2" in text


def test_with_both_sides_changed_flips_are_of_old_left_rows() -> None:
    text = shown(LEFT, "l", "r")
    assert text.count("Match LEFT") == 1
    assert text.count("Project id, k, -(`_weight`) AS _weight") == 2, "old is new minus the change"


def test_full_pads_the_right_rows_that_meet_none() -> None:
    text = shown(FULL, "l")
    assert "Match LEFT ON `k` = `k_2`" in text
    assert "Project NULL AS id, NULL AS k, k_2, n, _weight" in text
    assert "FULL" not in text


@pytest.mark.parametrize(("query", "is_minus"), [(SEMI, False), (ANTI, True)])
def test_semi_and_anti_differ_by_the_sign_of_what_flips(query: str, is_minus: bool) -> None:
    text = shown(query, "r")
    assert ("Project id, k, -(`_weight`) AS _weight" in text) is is_minus
    assert "Match" not in text, "an unchanged left side is only looked up"


def test_a_mark_that_turns_takes_back_the_other_value() -> None:
    text = shown(MARK, "r")
    assert "TRUE AS mark, _weight" in text
    assert "FALSE AS mark, CAST(0 AS BIGINT) - (`_weight`) AS _weight" in text


def test_a_condition_that_is_no_equality_counts_for_the_left_rows_that_a_change_meets() -> None:
    text = shown(BAND, "r")
    assert "step_1 := rows that a change meets\n  Aggregate BY (k)" in text
    assert "step_2 := rows that began or ceased to meet one" in text
    assert "Join ON `k` IS NOT DISTINCT FROM `_met_0`" in text


@pytest.mark.parametrize("query", [LEFT, SEMI, ANTI, MARK, BAND])
@pytest.mark.parametrize(("touched", "other"), [("l", "r"), ("r", "l")])
def test_an_untouched_side_is_never_compared_with_what_it_was(
    query: str, touched: str, other: str
) -> None:
    text = shown(query, touched)
    assert f"Changed `{other}`" not in text
    assert "Copies" not in text


@pytest.mark.parametrize("query", [LEFT, SEMI, ANTI, MARK, FULL])
@pytest.mark.parametrize("touched", ["l", "r"])
def test_equal_keys_narrow_every_scan(query: str, touched: str) -> None:
    lines = shown(query, touched).splitlines()
    above = [lines[i - 1].strip() for i, line in enumerate(lines) if "Scan" in line]
    assert above
    assert all(line.startswith(("Narrow", "Restrict")) for line in above), above


def test_one_sided_conditions_do_not_hinder_keys() -> None:
    query = "SELECT l.id FROM l LEFT JOIN r ON l.k = r.k AND l.id > 1 AND r.n = 'x'"
    text = shown(query, "r")
    assert "keys that began or ceased to be met" in text
    assert "Restrict (k_2) IN step_1\n              Filter (`n` = 'x')" in text
