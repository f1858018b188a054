"""The format of case files, where it is easily misread."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from streamtables.testing.bags import bag
from streamtables.testing.cases import read_cases, read_file
from streamtables.testing.told import CaseError, literal, told_rows

if TYPE_CHECKING:
    from pathlib import Path

    from streamtables.testing.cases import Case

HEAD = """-- title: one
CREATE TABLE t (x INT);
-- stream: incremental
SELECT x FROM t;
-- change: some
DELETE FROM t;
"""


def read(tmp_path: Path, rest: str) -> Case:
    file = tmp_path / "case.sql"
    file.write_text(HEAD + rest)
    (case,) = read_file(file)
    return case


@pytest.mark.parametrize(
    ("told", "expect"),
    [
        ("+ 1 | 1", {1: 2}),
        ("+ 1 | - 2 | 3", {1: 1, 2: -1, 3: -1}),
        ("- -1 | -2", {-1: -1, -2: -1}),
        ("+ 'a|- b'", {"a|- b": 1}),
        ("nothing", {}),
    ],
)
def test_signs_of_rows(tmp_path: Path, told: str, expect: dict[object, int]) -> None:
    step = read(tmp_path, f"-- expect: {told}\n").steps[0]
    assert step.expect == Counter({(value,): count for value, count in expect.items()})


def test_a_row_needs_a_sign(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r"case\.sql:7: .*begins with \+ or -"):
        read(tmp_path, "-- expect: 1\n")


def test_dates_and_numbers(tmp_path: Path) -> None:
    answer = read(tmp_path, "-- answer: DATE '2026-01-02', 1.50, TRUE, NULL\n").steps[0].answer
    assert answer is not None
    ((day, number, truth, nothing),) = answer
    assert (str(day), number, truth, nothing) == ("2026-01-02", Decimal("1.5"), True, None)


LIBERAL = """\ufeff--Title: one, said freely\r
CREATE TABLE t (x INT, v STRING); INSERT INTO t VALUES (1, 'a;b'); -- two on a line\r
-- STREAM: Full\r
SELECT x FROM t\r
--change: more\r
DELETE FROM t -- the last needs no semicolon
-- Expect: - (1, [2]), X'0aff', CAST('1' AS BIGINT), "x", 'it''s | so' | - 1
"""


def test_it_is_read_freely(tmp_path: Path) -> None:
    file = tmp_path / "case.sql"
    file.write_text(LIBERAL, encoding="utf-8")
    (case,) = read_file(file)
    assert (case.title, case.mode, case.reason) == ("one, said freely", "full", "")
    assert case.setup[1] == "INSERT INTO t VALUES (1, 'a;b')"
    assert [len(step.statements) for step in case.steps] == [1]
    assert case.steps[0].expect == Counter(
        {((1, (2,)), b"\n\xff", 1, "x", "it's | so"): -1, (1,): -1}
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("-- expected: + 1", r":7: `-- expected: \+ 1` means nothing: write `-- expect:`\?"),
        ("-- expect: + frob(2)", r":7: this row cannot be read: frob\(2\)"),
        ("-- expect: + 'x", r":7: the rows cannot be read"),
        ("-- expect: + 1 |", r":7: there is an empty row"),
        ("-- answer: DATE 'so'", r":7: this row cannot be read"),
        ("-- change: more\nINSERT INTO t VALUES ('x;", r":7: The text cannot be cut"),
    ],
)
def test_what_cannot_be_read_is_said_where(tmp_path: Path, wrong: str, words: str) -> None:
    with pytest.raises(CaseError, match=words):
        read(tmp_path, wrong + "\n")


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, "it's \\ 'so'", 5, Decimal("-1.5"), b"\x00\xff", (1, ("x", None))),
        *(date(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5, 678)),
    ],
)
def test_what_is_recorded_is_read_back(value: object) -> None:
    assert told_rows(f"{literal(value)}, 0") == bag([(value, 0)])


def test_a_file_of_one_case_needs_no_title(tmp_path: Path) -> None:
    file = tmp_path / "lone.sql"
    file.write_text(HEAD.partition("\n")[2] + "-- title: two\n-- stream: full\nSELECT 1;\n")
    lone, two = read_file(file)
    (tmp_path / "other.sql").write_text("-- A query, and no case.\nSELECT 1;\n")
    assert len(read_cases(tmp_path)) == 2
    assert (lone.title, lone.setup, two.title) == ("lone", ("CREATE TABLE t (x INT)",), "two")


def test_titles_differ(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="another case has this title"):
        read(tmp_path, HEAD)


def test_the_query_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "one.sql").write_text("-- schedule: 5m\nSELECT x FROM t;\n")
    (tmp_path / "tests").mkdir()
    file = tmp_path / "tests" / "case.sql"
    text = HEAD.replace("SELECT x FROM t;", "-- of: tables/one.sql")
    file.write_text(text)
    (case,) = read_file(file)
    assert (case.mode, case.query) == ("incremental", "SELECT x FROM t")
    file.write_text(text.replace("one.sql", "two.sql"))
    with pytest.raises(CaseError, match=r"case\.sql:4: no folder above has tables/two\.sql"):
        read_file(file)
