"""Where columns come from."""

from __future__ import annotations

import pytest
from helpers.specification import SQL

from streamtables.model import Column, Source, SourceKind, TableName
from streamtables.plan.lineage import origins
from streamtables.sql.compile import compile_query
from streamtables.sql.query import Query
from streamtables.testing.cases import read_cases

A, B = (
    Source(
        TableName((name,)),
        SourceKind.DELTA,
        tuple(Column(f"{name}{number}", "int") for number in (1, 2)),
    )
    for name in ("a", "b")
)

QUERIES = {
    "SELECT a1, a2 + 1 AS x FROM a": [{"a1"}, {"a2"}],
    "SELECT count(*) AS n, sum(a2) AS s FROM a GROUP BY a1": [set(), {"a2"}],
    "SELECT a.a1, b.b2 FROM a LEFT JOIN b ON a1 = b1 WHERE a2 > 0": [{"a1"}, {"b2"}],
    "SELECT a1 AS x FROM a UNION SELECT b1 FROM b": [{"a1", "b1"}],
    "SELECT a1 AS x FROM a EXCEPT SELECT b1 FROM b": [{"a1"}],
    "SELECT a1, (SELECT max(b2) FROM b WHERE b1 = a1) AS m FROM a": [{"a1"}, {"b2"}],
    "SELECT sum(a2) OVER (PARTITION BY a1) AS s FROM a": [{"a1", "a2"}],
    "SELECT EXISTS (SELECT 1 FROM b WHERE b1 = a1) AS e FROM a": [{"a1", "b1"}],
    "SELECT x FROM a LATERAL VIEW explode(array(a1, a2)) AS x": [{"a1", "a2"}],
    "WITH c AS (SELECT a1 AS x, a2 AS y FROM a) SELECT y || x AS z FROM c": [{"a1", "a2"}],
    "WITH RECURSIVE r AS (SELECT a1 AS x, a2 AS y FROM a UNION ALL SELECT y, b2 FROM r JOIN b ON x = b1) "
    "SELECT x FROM r": [{"a1", "a2", "b2"}],
}


@pytest.mark.parametrize("query", QUERIES)
def test_columns_come_from(query: str) -> None:
    by_key = {source.name.key: source for source in (A, B)}
    read = tuple(by_key[name.key] for name in Query.parse(query).names)
    plan = compile_query(query, read).plan
    assert plan is not None
    found = origins(plan)
    assert [{field for _, field in found[name]} for name in plan.columns] == QUERIES[query]


def test_every_query_of_the_specification_tells_its_columns() -> None:
    told = 0
    for case in read_cases(SQL / "operators"):
        if case.mode != "incremental" or case.lane:
            continue
        by_key = {source.name.key: source for source in case.sources}
        read = tuple(by_key[name.key] for name in Query.parse(case.query).names)
        compiled = compile_query(case.query, read)
        assert compiled.plan is not None
        found = origins(compiled.plan)
        used = {(key, name) for key, names in compiled.columns_used().items() for name in names}
        assert list(found) == list(compiled.plan.columns)
        assert set().union(*found.values()) <= used
        told += any(found.values())
    assert told > 100
