"""From plan to delta."""

from __future__ import annotations

from helpers.plans import delta, plan

from streamtables.plan import nodes as n
from streamtables.plan.walk import every
from streamtables.rules import RULES, SUBTRACTED


def test_every_operator_of_a_query_has_a_rule() -> None:
    query = (
        "WITH RECURSIVE a AS (SELECT k, COUNT(*) AS c FROM l GROUP BY k HAVING COUNT(*) > 1), "
        "up AS (SELECT k FROM r UNION ALL SELECT l.k FROM up JOIN l ON l.id = up.k) "
        "SELECT DISTINCT a.k FROM a LEFT JOIN r ON a.k = r.k "
        "UNION SELECT k FROM r UNION ALL SELECT k FROM r INTERSECT SELECT k FROM r EXCEPT ALL SELECT k FROM r "
        "UNION ALL SELECT k FROM up UNION ALL SELECT RANK() OVER (ORDER BY k) FROM l "
        "UNION ALL SELECT explode(sequence(id, k)) FROM l"
    )
    kinds = {type(node) for node in every(plan(query))}
    assert kinds - {n.Recur} == set(RULES)
    assert set(SUBTRACTED) < kinds


def test_stages_come_before_those_that_read_them() -> None:
    found = delta(
        "SELECT k FROM (SELECT k, COUNT(*) AS c FROM l GROUP BY k) z JOIN r USING (k)", "l", "r"
    )
    assert found is not None
    assert [stage.step.name for stage in found.stages] == [
        f"step_{i + 1}" for i in range(len(found.stages))
    ]
    assert [stage.note for stage in found.stages] == ["touched keys", "change of Aggregate"]


def test_the_same_query_is_derived_alike() -> None:
    query = "SELECT DISTINCT id FROM l JOIN r ON l.k = r.k"
    assert delta(query, "l", "r") == delta(query, "r", "l")
