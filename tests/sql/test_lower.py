"""Queries to plans."""

from __future__ import annotations

import pytest
from helpers.plans import compiled, plan

from streamtables.plan.show import show


def test_a_cte_is_lowered_at_each_use() -> None:
    tree = show(plan("WITH w AS (SELECT k FROM l) SELECT a.k FROM w a JOIN w b ON a.k = b.k"))
    assert tree.count("Scan `l`") == 2


def test_group_by_ordinal_alias_and_expression_are_the_same() -> None:
    trees = {
        show(plan(f"SELECT k + 1 AS x, COUNT(*) AS c FROM l GROUP BY {key}"))
        for key in ("1", "x", "k + 1")
    }
    assert len(trees) == 1


def test_an_aggregate_used_twice_is_computed_once() -> None:
    tree = show(plan("SELECT SUM(id) + SUM(id) AS s FROM l HAVING SUM(id) > 0"))
    assert tree.count("SUM(") == 1


def test_having_without_anything_to_group_keeps_one_row() -> None:
    assert "Aggregate BY () COUNT(*)" in show(plan("SELECT 1 AS one FROM l HAVING TRUE"))


def test_aliases_of_columns() -> None:
    assert "Scan `l` (id)" in show(plan("SELECT a FROM l AS z(a, b)"))


RECURSION = "WITH RECURSIVE w AS (SELECT k FROM l {union} SELECT w.k + 1 FROM w WHERE w.k < 4) SELECT k FROM w"


@pytest.mark.parametrize(
    ("query", "reason", "words"),
    [
        ("SELECT id FROM l LIMIT length('x')", "LIMIT", "not a number"),
        (RECURSION.format(union="UNION"), "RECURSION", "base UNION ALL a step"),
        (
            "SELECT l.id FROM l LEFT JOIN r ON l.k = r.k AND EXISTS (SELECT 1 FROM r x WHERE x.k = l.k AND x.n = r.n)",
            "SUBQUERY",
            "ON of an outer join",
        ),
        ("SELECT (SELECT k, n FROM r) AS two FROM l", "CONSTRUCT", "several columns"),
        (
            "WITH RECURSIVE w AS (SELECT k FROM l UNION ALL SELECT (SELECT MAX(w.k) FROM w) FROM r) SELECT k FROM w",
            "RECURSION",
            "base UNION ALL a step",
        ),
        (
            "SELECT inline(from_json(n, 'array<struct<a: int>>')) FROM r",
            "CONSTRUCT",
            "without names",
        ),
    ],
)
def test_what_has_no_rule_has_no_plan(query: str, reason: str, words: str) -> None:
    found = compiled(query)
    assert found.plan is None
    assert found.refusal is not None
    assert (found.refusal.reason, bool(found.refusal.hint)) == (reason, True)
    assert words in str(found.refusal)
