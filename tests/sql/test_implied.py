"""The names that Spark gives where a query gives none."""

from __future__ import annotations

import pytest
from sqlglot import exp

from streamtables.errors import UnsupportedQuery
from streamtables.sql.implied import with_implied_names
from streamtables.sql.parse import parse_query

TYPES = {
    name: exp.DataType.build(kind, dialect="spark")
    for name, kind in (("m", "map<string, int>"), ("s", "array<struct<x: int, y: array<int>>>"))
}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT explode(l) FROM a", "SELECT explode(l) AS col FROM a"),
        ("SELECT explode(l) AS x FROM a", "SELECT explode(l) AS x FROM a"),
        ("SELECT posexplode(l) FROM a", "SELECT posexplode(l) AS (pos, col) FROM a"),
        ("SELECT explode(m) FROM a", "SELECT explode(m) AS (key, value) FROM a"),
        ("SELECT inline(s) FROM a", "SELECT inline(s) AS (x, y) FROM a"),
        ("SELECT stack(2, 1, 2, 3) FROM a", "SELECT stack(2, 1, 2, 3) AS (col0, col1) FROM a"),
        (
            "SELECT json_tuple(j, 'a', 'b') FROM a",
            "SELECT json_tuple(j, 'a', 'b') AS (c0, c1) FROM a",
        ),
        (
            "SELECT 1 FROM a LATERAL VIEW explode(m) e",
            "SELECT 1 FROM a LATERAL VIEW explode(m) e AS key, value",
        ),
        ("SELECT 1 FROM range(3) r", "SELECT 1 FROM range(3) AS r(id)"),
        ("SELECT 1 FROM VALUES (1, 2)", "SELECT 1 FROM VALUES (1, 2) AS _implied_0(col1, col2)"),
        ("SELECT 1 FROM VALUES (1) AS v(x)", "SELECT 1 FROM VALUES (1) AS v(x)"),
    ],
)
def test_names(query: str, named: str) -> None:
    tree = parse_query(query)
    with_implied_names(tree, TYPES)
    assert tree.sql(dialect="spark") == parse_query(named).sql(dialect="spark")


def test_a_generator_whose_columns_are_unknown_is_refused() -> None:
    with pytest.raises(UnsupportedQuery, match="inline\\(\\) without names"):
        with_implied_names(parse_query("SELECT inline(from_json(j, 'x')) FROM a"), TYPES)
