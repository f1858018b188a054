"""Subqueries to joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from helpers.plans import plan, source

from streamtables.plan import nodes as n
from streamtables.plan.show import show
from streamtables.plan.walk import find
from streamtables.sql.subquery import MORE_THAN_ONE_ROW
from streamtables.testing.duck import Duck

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def kinds(query: str) -> list[str]:
    """The kinds of the Match nodes of a query, topmost first."""
    return [match.kind for match in find(plan(query), n.Match)]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("EXISTS (SELECT 1 FROM r WHERE r.k = l.k)", ["semi"]),
        ("NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k)", ["anti"]),
        ("NOT NOT (EXISTS (SELECT 1 FROM r WHERE r.k = l.k))", ["semi"]),
        ("k IN (SELECT k FROM r)", ["semi"]),
        ("NOT (k NOT IN (SELECT k FROM r))", ["semi"]),
        ("k NOT IN (SELECT k FROM r)", ["anti"] * 3),
        ("(id, k) NOT IN (SELECT k, k FROM r)", ["anti"] * 2),
        ("id > 1 OR EXISTS (SELECT 1 FROM r WHERE r.k = l.k)", ["mark"]),
        ("id > 1 OR k NOT IN (SELECT k FROM r)", ["mark"] * 3),
        ("id > (SELECT COUNT(*) FROM r WHERE r.k = l.k)", ["left"]),
        ("id > (SELECT COUNT(*) FROM r)", []),
    ],
)
def test_conditions(condition: str, found: list[str]) -> None:
    assert kinds(f"SELECT id FROM l WHERE {condition}") == found


def test_a_plain_subquery_gives_its_conditions_to_the_join() -> None:
    query = "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k > l.k AND r.n = 'x')"
    tree = show(plan(query))
    assert "Match SEMI ON `k_2` > `k`" in tree
    assert "Distinct" not in tree


def test_a_value_is_computed_for_what_is_equal_inside() -> None:
    tree = show(plan("SELECT (SELECT MAX(n) FROM r WHERE r.k = l.k) AS m FROM l"))
    assert "Match LEFT ON `k` IS NOT DISTINCT FROM `k_3`" in tree
    assert tree.count("Scan `l`") == 1


def test_a_value_by_an_inequality_is_computed_for_the_different_outer_values() -> None:
    tree = show(plan("SELECT (SELECT MAX(n) FROM r WHERE r.k > l.k) AS m FROM l"))
    assert tree.count("Scan `l`") == 2
    assert "Distinct" in tree


@pytest.mark.parametrize(
    ("value", "empty"),
    [
        ("COUNT(*)", "CAST(0 AS BIGINT)"),
        ("MAX(n)", "(NULL)"),
        ("COUNT(*) + 1", "CAST(0 AS BIGINT) + 1"),
    ],
)
def test_over_no_rows(value: str, empty: str) -> None:
    tree = show(plan(f"SELECT (SELECT {value} FROM r WHERE r.k = l.k) AS m FROM l"))
    assert empty in tree.splitlines()[0]


def test_exists_of_an_aggregate_finds_a_row_for_every_outer_value() -> None:
    query = "SELECT id FROM l WHERE EXISTS (SELECT MAX(n) FROM r WHERE r.k = l.k)"
    assert kinds(query) == ["semi", "left"]


@pytest.mark.parametrize(
    ("query", "is_checked"),
    [
        ("SELECT (SELECT n FROM r WHERE r.k = l.k) AS m FROM l", True),
        ("SELECT (SELECT n FROM r) AS m FROM l", True),
        ("SELECT (SELECT n FROM r LIMIT 1) AS m FROM l", True),
        ("SELECT (SELECT MAX(n) FROM r) AS m FROM l", False),
        ("SELECT (SELECT MAX(n) FROM r WHERE r.k = l.k GROUP BY r.k) AS m FROM l", True),
    ],
)
def test_more_than_one_row_is_looked_for_where_there_may_be(query: str, is_checked: bool) -> None:
    assert (MORE_THAN_ONE_ROW in show(plan(query))) is is_checked


def test_more_than_one_row_fails_the_refresh(duck: DuckDBPyConnection) -> None:
    duck.execute("CREATE TABLE l (id INT, k INT)")
    duck.execute("CREATE TABLE r (k INT, n TEXT)")
    duck.execute("INSERT INTO l VALUES (1, 1)")
    duck.execute("INSERT INTO r VALUES (1, 'x'), (2, 'y')")
    query = "SELECT id, (SELECT n FROM r WHERE r.k = l.k) AS n FROM l"
    table = Duck(duck, [source("l"), source("r")], query)
    duck.execute("INSERT INTO r VALUES (2, 'z')")
    assert not table.refresh(), "nobody asks for that key"
    duck.execute("INSERT INTO r VALUES (1, 'z')")
    with pytest.raises(duckdb.Error, match=MORE_THAN_ONE_ROW):
        table.refresh()
