"""The format of case files, where it is easily misread."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from streamtables.testing.cases import CaseError, read_file

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
