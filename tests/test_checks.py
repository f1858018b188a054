"""Data checks as text: what is read, refused and told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.plans import source
from helpers.vectors import stream_table

from streamtables.checks import (
    Check,
    OnMismatch,
    Tally,
    checks_of,
    failing_of,
    measures_of,
    require_passed,
)
from streamtables.codec import definition_from_json, definition_to_json
from streamtables.errors import CheckFailed, InvalidCheck, InvalidProject, StreamTablesError
from streamtables.project.files import read_file
from streamtables.sql.compile import fingerprint
from streamtables.sql.condition import require_condition
from streamtables.sql.statements import creation, parse_statement

DROP = Check("known", "country IN ('AT', 'it''s (odd')", OnMismatch.DROP)
WARN = Check("odd `name`", "f(g(a), 'x) AS y') > 0")
FAIL = Check("whole", "n = n", OnMismatch.FAIL)
EVERY = (DROP, WARN, FAIL)


@pytest.mark.parametrize(
    "text",
    [
        "positive (a > 0) on mismatch drop",
        "EXPECT positive(a > 0) ON MISMATCH DROP",
        "CONSTRAINT positive EXPECT (a > 0) ON VIOLATION DROP ROW",
        "`positive`\n  (\n a > 0 )  ON  MISMATCH\tDROP;",
    ],
)
def test_a_check_as_text(text: str) -> None:
    assert Check.parse(text) == Check("positive", "a > 0", OnMismatch.DROP)


@pytest.mark.parametrize("check", EVERY, ids=str)
def test_a_check_reads_back_what_it_says(check: Check) -> None:
    assert Check.parse(str(check)) == check


def test_checks_as_a_caller_gives_them() -> None:
    wanted = (Check("p", "a > 0"), Check("q", "b > 0", OnMismatch.DROP))
    assert checks_of({"p": "a > 0", "q": ("b > 0", "drop")}) == wanted
    assert checks_of(["p (a > 0)", wanted[1]]) == wanted
    assert checks_of("p (a > 0)") == wanted[:1]
    assert checks_of(None) == checks_of([]) == ()


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("positive", "not a check"),
        ("p (a > 0) ON MISMATCH IGNORE", "says IGNORE"),
        ({"p": ("a > 0", "STOP")}, "says STOP"),
        (["p (a > 0)", "P (b > 0)"], "several checks named p"),
    ],
)  # fmt: skip
def test_what_is_no_check_is_refused(expect: object, told: str) -> None:
    with pytest.raises(InvalidCheck, match=told):
        checks_of(expect)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("", "not one expression"),
        ("a > 0) OR (b > 0", "not one expression"),
        ("a > 0; DROP TABLE t", "not one expression"),
        ("SELECT true", "not one expression"),
        ("a > 0 -- always", "a comment"),
        ("a > (SELECT b FROM t)", "subquery"),
        ("a IN (SELECT a FROM t)", "subquery"),
        ("sum(a) > 0", "several rows"),
        ("row_number() OVER (ORDER BY a) = 1", "several rows"),
        ("at < current_date()", "as time passes"),
        ("a < rand()", "another answer"),
    ],
)
def test_a_condition_is_over_one_row(condition: str, told: str) -> None:
    with pytest.raises(InvalidCheck, match=told):
        require_condition(Check("c", condition))


def test_in_a_statement() -> None:
    head = f"CREATE STREAM TABLE s.t EXPECT {DROP} SCHEDULE '5m' EXPECT {WARN} EXPECT {FAIL}"
    statement = parse_statement(f"{head} AS SELECT 'EXPECT x (y)' AS c")
    assert statement is not None
    assert statement.arguments == {
        "name": "s.t",
        "schedule": "5m",
        "expect": list(EVERY),
        "query": "SELECT 'EXPECT x (y)' AS c",
    }
    altered = parse_statement("ALTER STREAM TABLE t SET EXPECT NULL")
    assert altered is not None
    assert altered.arguments == {"name": "t", "expect": []}
    databricks = parse_statement(
        "create stream table t constraint p expect (a > 0) on violation fail update as select 1"
    )
    assert databricks is not None
    assert databricks.arguments["expect"] == [Check("p", "a > 0", OnMismatch.FAIL)]


def test_in_a_file() -> None:
    header = "".join(f"-- expect: {check}\n" for check in EVERY)
    assert read_file(f"{header}SELECT 1 AS n", "tables/t.sql").checks == EVERY
    with pytest.raises(InvalidProject, match=r"tables/t\.sql: .*not a check"):
        read_file("-- expect: nothing\nSELECT 1 AS n", "tables/t.sql")


def test_a_definition_carries_its_checks() -> None:
    held = replace(stream_table("t", "s"), checks=EVERY)
    assert definition_from_json(definition_to_json(held)) == held
    statement = parse_statement(creation(held))
    assert statement is not None
    assert statement.arguments["expect"] == list(EVERY)


def test_other_checks_are_another_answer() -> None:
    sources = (source("l"),)
    assert fingerprint("q", sources) == fingerprint("q", sources, ())
    marks = {fingerprint("q", sources, checks) for checks in ((), (DROP,), (FAIL,), EVERY)}
    assert len(marks) == 4


def test_what_fails_is_told_with_rows() -> None:
    tallies = (Tally(WARN, 3), Tally(FAIL, 2, ({"n": None}, {"n": 1})))
    with pytest.raises(CheckFailed) as failed:
        require_passed("s.t", tallies)
    assert isinstance(failed.value, StreamTablesError)
    assert str(failed.value).startswith(
        "Nothing was written to s.t: 2 rows fail whole (n = n), such as (n=NULL) and (n=1). "
    )
    assert failing_of(failed.value.measures) == {"odd `name`": 3, "whole": 2}
    require_passed("s.t", (Tally(WARN, 3), Tally(DROP, 2), Tally(FAIL, 0)))
    assert failing_of(measures_of(tallies)) == {"odd `name`": 3, "whole": 2}
