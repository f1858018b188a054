from __future__ import annotations

import pytest

from streamtables.errors import UnsupportedQuery
from streamtables.model import Column, Source, SourceKind, TableName
from streamtables.plan.nodes import Aggregate
from streamtables.plan.walk import find
from streamtables.sql.compile import compile_query

COLUMNS = (Column("a", "bigint"), Column("ts", "timestamp"))
SOURCE = Source(TableName(("t",)), SourceKind.DELTA, COLUMNS)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT window(ts, '1 day') AS w, COUNT(*) FROM t GROUP BY window(ts, '1 day')",
        "SELECT window(ts, '1 day') AS w, COUNT(*) FROM t GROUP BY w",
        "SELECT window(ts, '1 day') AS w, COUNT(*) FROM t GROUP BY 1",
        "SELECT window(ts, '1 day') AS w, COUNT(*) FROM t GROUP BY ALL",
        "SELECT window, COUNT(*) FROM t GROUP BY window(ts, '1 day', '1 hour')",
        "SELECT LAG(COUNT(*)) OVER (ORDER BY window.start) FROM t GROUP BY window(ts, '1 day')",
        "SELECT window.start, a FROM t AS x GROUP BY a, window(x.ts, '1 day') HAVING window.end > MIN(ts)",
        "SELECT date_format(window.start, 'HH') FROM t GROUP BY window(ts, '1 day') ORDER BY window.start LIMIT 3",
    ],
)
def test_a_window_is_a_key_of_groups(query: str) -> None:
    compiled = compile_query(query, (SOURCE,))
    assert compiled.plan is not None, compiled.refusal
    (aggregate,) = find(compiled.plan, Aggregate)
    assert "key" in aggregate.keys


@pytest.mark.parametrize(
    "query",
    [
        "SELECT window(ts, '1 day', '1 hour') AS w, a FROM t",
        "SELECT a FROM t WHERE window(ts, '1 day').start < ts GROUP BY a",
        "SELECT MAX(window(ts, '1 day')) FROM t GROUP BY window(ts, '1 day')",
        "SELECT a, session_window(ts, '5 minutes') FROM t",
        "SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (window(ts, '1 day')))",
    ],
)
def test_no_rule_for_other_windows_of_time(query: str) -> None:
    refusal = compile_query(query, (SOURCE,)).refusal
    assert isinstance(refusal, UnsupportedQuery)
    assert refusal.reason == "CONSTRUCT"
    assert "window() outside GROUP BY has no delta rule" in str(refusal)


def test_a_column_may_be_called_window() -> None:
    source = Source(TableName(("t",)), SourceKind.DELTA, (*COLUMNS, Column("window", "int")))
    query = "SELECT window, SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY window ORDER BY ts)"
    assert compile_query(query, (source,)).plan is not None
    query = "SELECT window, COUNT(*) FROM t GROUP BY window, window(ts, '1 day')"
    compiled = compile_query(query, (source,))
    assert compiled.plan is not None
    assert compiled.columns_used()["`t`"] == ("ts", "window")
