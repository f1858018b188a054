"""Plans in the shape that rules want."""

from __future__ import annotations

from helpers.plans import plan

from streamtables.plan.show import show


def test_conditions_move_to_the_input_they_are_about_or_to_the_join() -> None:
    query = "SELECT l.id, r.n FROM l, r WHERE l.k = r.k AND l.id > 1 AND r.n = 'x'"
    assert (
        show(plan(query))
        == """Project `id` AS id_2, `n` AS n_2
  Join ON `k` = `k_2`
    Filter (`id` > 1)
      Scan `l` (id, k)
    Filter (`n` = 'x')
      Scan `r` (k_2, n)"""
    )


def test_a_condition_without_columns_stays_above() -> None:
    assert show(plan("SELECT l.id FROM l, r WHERE 1 = 0")).splitlines()[1] == "  Filter (1 = 0)"


def test_projections_merge_unless_something_would_be_computed_twice() -> None:
    once = "SELECT s + 1 AS t FROM (SELECT id + k AS s FROM l) z"
    assert show(plan(once)) == "Project (`id` + `k`) + 1 AS t\n  Scan `l` (id, k)"
    assert show(plan(once.replace("s + 1", "s * s"))).count("Project") == 2


def test_columns_that_nobody_reads_are_not_carried() -> None:
    assert "Scan `l` (id)" in show(plan("SELECT a FROM (SELECT id AS a, k AS b FROM l) z"))


def test_a_count_carries_one_column() -> None:
    assert show(plan("SELECT COUNT(*) AS c FROM l")).endswith("Scan `l` (id)")


def test_an_aggregate_nobody_reads_still_makes_its_row() -> None:
    tree = show(plan("SELECT 1 AS one FROM (SELECT COUNT(*) AS c, SUM(id) AS s FROM l) z"))
    assert "Aggregate BY () COUNT(*) AS value\n" in tree


def test_whole_rows_are_compared_so_their_columns_stay() -> None:
    tree = show(plan("SELECT id FROM (SELECT id, k FROM l EXCEPT SELECT k, k FROM r) z"))
    assert "Scan `l` (id, k)" in tree


def test_a_condition_on_left_rows_moves_below_a_match_the_others_stay() -> None:
    query = (
        "SELECT l.id FROM l LEFT JOIN r ON l.k = r.k WHERE l.id > 1 AND r.n IS NULL AND l.k < l.id"
    )
    assert (
        show(plan(query))
        == """Project `id` AS id_2
  Filter (`n` IS NULL)
    Match LEFT ON `k` = `k_2`
      Filter (`id` > 1) AND (`k` < `id`)
        Scan `l` (id, k)
      Scan `r` (k_2, n)"""
    )


def test_no_condition_moves_below_a_full_join() -> None:
    tree = show(plan("SELECT l.id FROM l FULL JOIN r ON l.k = r.k WHERE l.id > 1"))
    assert tree.splitlines()[1:3] == ["  Filter `id` > 1", "    Match FULL ON `k` = `k_2`"]


def test_a_condition_moves_below_several_matches() -> None:
    query = "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r) AND k IN (SELECT k FROM r) AND id = 1"
    lines = show(plan(query)).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["Match", "Match", "Filter"]


def test_equal_expressions_become_columns_of_their_inputs() -> None:
    query = "SELECT l.id FROM l LEFT JOIN r ON l.k + 1 = r.k AND upper(r.n) = CAST(l.id AS STRING)"
    tree = show(plan(query))
    assert "Match LEFT ON `_key_1` = `k_2` AND `_key_2` = `_key_3`" in tree
    assert "Project id, `k` + 1 AS _key_1, CAST(`id` AS STRING) AS _key_3" in tree
    assert "UPPER(`n`) AS _key_2" in tree


def test_what_is_put_into_another_expression_keeps_its_meaning() -> None:
    query = "SELECT NOT p AS a FROM (SELECT id > 1 OR k > 1 AS p FROM l) z"
    assert show(plan(query)).startswith("Project NOT (`id` > 1 OR `k` > 1) AS a")


def test_a_mark_that_nobody_reads_is_not_computed() -> None:
    query = "SELECT id FROM (SELECT id, EXISTS (SELECT 1 FROM r WHERE r.k = l.k) AS e FROM l) z"
    assert "Match" not in show(plan(query))
