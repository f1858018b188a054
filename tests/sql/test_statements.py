"""The verbs as SQL, and what is left to Spark."""

from __future__ import annotations

import pytest

from streamtables.api import StreamTables
from streamtables.errors import InvalidQuery
from streamtables.sql.statements import _FORMS, Statement, parse_statement

STATEMENTS = {
    "CREATE STREAM TABLE t SCHEDULE '10s' AS SELECT 1 AS x": Statement(
        "create_stream_table", {"name": "t", "query": "SELECT 1 AS x", "schedule": "10s"}
    ),
    "create stream table if not exists a.`b c`\nrefresh_mode full\nas\nselect 1": Statement(
        "create_stream_table",
        {"name": "a.`b c`", "query": "select 1", "refresh_mode": "FULL"},
        is_quiet=True,
    ),
    "ALTER STREAM TABLE t SET SCHEDULE NULL": Statement(
        "alter_stream_table", {"name": "t", "schedule": None}
    ),
    "ALTER STREAM TABLE t AS SELECT 2": Statement(
        "alter_stream_table", {"name": "t", "query": "SELECT 2"}
    ),
    "PREVIEW ALTER STREAM TABLE t SET SCHEDULE '1h' AS SELECT 2": Statement(
        "preview_alter", {"name": "t", "schedule": "1h", "query": "SELECT 2"}
    ),
    "-- a comment\nDROP STREAM TABLE IF EXISTS t;": Statement(
        "drop_stream_table", {"name": "t"}, is_quiet=True
    ),
    "DROP STREAM TABLE t CASCADE": Statement("drop_stream_table", {"name": "t", "cascade": True}),
    "REINITIALIZE STREAM TABLE t": Statement("reinitialize", {"name": "t"}),
    "REFRESH STREAM TABLE s.t FULL": Statement("refresh", {"name": "s.t", "full": True}),
    "REFRESH STREAM TABLES": Statement("refresh_all"),
    "COMPACT STREAM TABLE t": Statement("compact", {"name": "t"}),
    "COMPACT STREAM TABLES;": Statement("compact", {}),
    "PAUSE STREAM TABLE t": Statement("pause", {"name": "t"}),
    "RESUME STREAM TABLE t": Statement("resume", {"name": "t"}),
    "EXPLAIN STREAM TABLE t": Statement("explain", {"name": "t"}),
    "VERIFY STREAM TABLE t": Statement("verify", {"name": "t"}),
    "SHOW HISTORY OF STREAM TABLE t": Statement("history", {"name": "t"}),
    "SHOW HISTORY OF STREAM TABLE t LIMIT 5": Statement("history", {"name": "t", "limit": 5}),
    "SHOW CHANGES OF STREAM TABLE t": Statement("changes", {"name": "t"}),
    "show changes for stream table t since 3 until 5;": Statement(
        "changes", {"name": "t", "since": 3, "until": 5}
    ),
    "SHOW STREAM TABLES": Statement("status"),
}


@pytest.mark.parametrize(("text", "statement"), STATEMENTS.items(), ids=list(STATEMENTS))
def test_each_statement(text: str, statement: Statement) -> None:
    assert parse_statement(text) == statement


def test_every_verb_is_tested_and_is_one_of_the_api() -> None:
    assert {statement.verb for statement in STATEMENTS.values()} == set(_FORMS)
    assert all(hasattr(StreamTables, verb) for verb in _FORMS)


@pytest.mark.parametrize(
    "text", ["SELECT 'CREATE STREAM TABLE'", "CREATE TABLE t AS SELECT 1", "REFRESH TABLE t", ""]
)
def test_the_rest_is_sparks(text: str) -> None:
    assert parse_statement(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "CREATE STREAM TABLE t SELECT 1",
        "DROP STREAM TABLE t; DROP TABLE u",
        "TOUCH STREAM TABLE t",
        "PREVIEW ALTER STREAM TABLE",
    ],
)
def test_ours_but_wrong(text: str) -> None:
    with pytest.raises(InvalidQuery, match="not one of streamtables"):
        parse_statement(text)
