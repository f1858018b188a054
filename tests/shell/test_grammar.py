"""What is typed, as commands."""

from __future__ import annotations

import pytest

from streamtables.api import StreamTables
from streamtables.shell.grammar import _ALONE, VERBS, Command, read_commands, read_whole


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("commit", Command("commit")),
        ("COMMIT;", Command("commit")),
        ("rollback", Command("rollback")),
        ("exit", Command("quit")),
        ("status", Command("verb", "status")),
        ("refresh", Command("verb", "refresh_all")),
        ("verify shop.`by day`;", Command("verb", "verify", "shop.`by day`")),
        ("history t", Command("verb", "history", "t")),
        ("SELECT 1;", Command("sql", "SELECT 1")),
        ("EXPLAIN SELECT 1;", Command("sql", "EXPLAIN SELECT 1")),
        ("REFRESH TABLE t;", Command("sql", "REFRESH TABLE t")),
        ("SHOW STREAM TABLES;", Command("sql", "SHOW STREAM TABLES")),
        (
            "CREATE TABLE t AS SELECT 'DELETE FROM u';",
            Command("sql", "CREATE TABLE t AS SELECT 'DELETE FROM u'"),
        ),
        (
            "ALTER STREAM TABLE t SET SCHEDULE '5m';",
            Command("sql", "ALTER STREAM TABLE t SET SCHEDULE '5m'"),
        ),
    ],
)
def test_one_command(text: str, command: Command) -> None:
    assert read_commands(text) == ([command], "")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("INSERT INTO t VALUES (1)", "t"),
        ("insert overwrite table s.t select 1", "s.t"),
        ("-- why\nDELETE FROM `a b`.t WHERE x = 1", "`a b`.t"),
        ("UPDATE t SET x = 2", "t"),
        (
            "MERGE INTO s.t USING u ON t.x = u.x WHEN MATCHED THEN DELETE",
            "s.t",
        ),
        ("TRUNCATE TABLE t", "t"),
        ("WITH w AS (SELECT 1 AS x) INSERT INTO t SELECT x FROM w", "t"),
    ],
)
def test_changes_are_told_by_what_they_change(text: str, target: str) -> None:
    assert read_commands(f"{text};") == ([Command("change", text, target)], "")


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT ';", "/* ;", "history", "status t", ""])
def test_what_is_not_complete_waits(text: str) -> None:
    assert read_commands(text) == ([], text)


def test_several_on_one_line() -> None:
    commands, rest = read_commands("INSERT INTO t VALUES (1); COMMIT; SELECT 2; SELECT")
    assert [command.kind for command in commands] == ["change", "commit", "sql"]
    assert rest == "SELECT"


def test_the_last_statement_of_a_text_needs_no_semicolon() -> None:
    assert [command.kind for command in read_whole("INSERT INTO t VALUES (1); commit\n")] == [
        "change",
        "commit",
    ]
    assert read_whole("SELECT 1") == [Command("sql", "SELECT 1")]


def test_every_verb_is_one_of_the_api() -> None:
    assert all(hasattr(StreamTables, verb) for verb in (*VERBS.values(), *_ALONE.values()))
