"""Which groups can matter to a join."""

from __future__ import annotations

from collections import Counter

import pytest
from helpers.plans import plan, shown
from helpers.specification import SQL

from streamtables.plan import nodes as n
from streamtables.plan.walk import every, find
from streamtables.rules.wanted import wanted_groups
from streamtables.sql.compile import compile_query
from streamtables.sql.query import Query
from streamtables.testing.cases import Case, read_cases

GROUPS = "(SELECT k, max(id) AS m FROM l GROUP BY k) g"
JOIN = f"SELECT r.n, g.m FROM r JOIN {GROUPS} ON r.k = g.k WHERE r.n = 'a'"


def wanted(query: str) -> list[tuple[str, str]]:
    """The keys of groups that can matter, and the columns that have those."""
    joins = [node for node in every(plan(query)) if isinstance(node, (n.Join, n.Match))]
    return [(key, column) for join in joins for _, key, (_, column) in wanted_groups(join)]


def test_the_filtered_side_of_a_join_says_which_groups_matter() -> None:
    assert len(wanted(JOIN)) == 1
    text = shown(JOIN, "l")
    assert "step_2 := those of them that a join can meet\n  Match SEMI" in text
    assert "IN step_1" not in text.split("change of Aggregate")[1]


def test_a_part_that_changes_itself_says_nothing() -> None:
    assert "can meet" not in shown(JOIN, "l", "r")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (JOIN.replace(" WHERE r.n = 'a'", ""), 0),
        (JOIN.replace("r.k = g.k", "r.k = g.m"), 0),
        (JOIN.replace("r.k = g.k", "r.n = g.k"), 0),  # '01' and '1' are both equal to 1
        (JOIN.replace("FROM r JOIN", "FROM (SELECT * FROM r WHERE n = 'b') r LEFT JOIN"), 1),
        (JOIN.replace("FROM r JOIN", "FROM (SELECT * FROM r WHERE n = 'b') r FULL JOIN"), 0),
        (
            f"SELECT g.m FROM {GROUPS} LEFT JOIN (SELECT * FROM r WHERE n = 'b') r ON r.k = g.k",
            0,
        ),
        (
            "SELECT id FROM l JOIN r ON l.k = r.k AND r.n = 'a' WHERE l.id < (SELECT avg(id) FROM l x WHERE x.k = r.k)",
            1,
        ),
    ],
)
def test_how_many_parts_say_it(query: str, count: int) -> None:
    assert len(wanted(query)) == count


def test_no_group_stands_in_two_places_of_a_plan() -> None:
    cases = [case for case in read_cases(SQL) if case.mode == "incremental" and not case.lane]
    groups = [Counter(id(node) for node in find(case_plan(case), n.Aggregate)) for case in cases]
    assert max(most for found in groups for most in found.values()) == 1


def case_plan(case: Case) -> n.Node:
    tables = {source.name.key: source for source in case.sources}
    names = Query.parse(case.query).names
    found = compile_query(case.query, tuple(tables[name.key] for name in names)).plan
    assert found is not None
    return found
