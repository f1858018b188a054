"""What lowering knows of names."""

from __future__ import annotations

import pytest
from helpers.plans import compiled

from streamtables.sql.parse import parse_query
from streamtables.sql.scope import Names, conjuncts, free_columns


def test_names_differ_whatever_their_case_and_none_is_a_rules_own() -> None:
    names = Names()
    assert [names.fresh(wish) for wish in ("a", "A", "a", "_weight")] == [
        "a",
        "A_2",
        "a_3",
        "c_weight",
    ]


@pytest.mark.parametrize(
    ("query", "free"),
    [
        ("SELECT r.k FROM r WHERE r.k = l.k", [("l", "k")]),
        ("SELECT l.k FROM l", []),
        (
            "SELECT 1 FROM r WHERE EXISTS (SELECT 1 FROM x WHERE x.a = r.k AND x.b = l.b)",
            [("l", "b")],
        ),
        ("SELECT 1 FROM (SELECT r.k FROM r WHERE r.n = l.n) z JOIN y ON y.k = z.k", [("l", "n")]),
        ("SELECT l.a + l.b, l.a FROM r", [("l", "a"), ("l", "b")]),
        ("SELECT e.x FROM r LATERAL VIEW explode(l.list) e AS x", [("l", "list")]),
        ("SELECT z.a FROM r, LATERAL (SELECT r.k + l.k AS a) z", [("l", "k")]),
    ],
)
def test_free_columns_belong_to_tables_around(query: str, free: list[tuple[str, str]]) -> None:
    assert sorted(free_columns(parse_query(query))) == free


def test_conjuncts_are_found_in_parentheses() -> None:
    where = parse_query("SELECT 1 FROM l WHERE a AND (b AND (c OR d)) AND NOT e").args["where"]
    assert [part.sql() for part in conjuncts(where.this)] == ["a", "b", "c OR d", "NOT e"]


def test_a_table_hides_one_of_its_name_around_it() -> None:
    query = "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r l WHERE l.k = 1)"
    assert compiled(query).columns_used() == {"`l`": ("id",), "`r`": ("k",)}
