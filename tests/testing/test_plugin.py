"""The pytest plug-in, as those who install the package meet it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from helpers.process import environment
from helpers.specification import SQL

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

TABLE = "CREATE TABLE shop.t (id INT, v STRING);\nINSERT INTO shop.t VALUES (1, 'x'), (2, 'x'), (3, NULL);\n"
RIGHT = f"""-- title: a value leaves with its last copy
{TABLE}-- stream: incremental
SELECT DISTINCT v FROM shop.t;
-- change: one of two copies goes
DELETE FROM shop.t WHERE id = 1;
-- expect: nothing
-- change: the last copy goes, and another comes
DELETE FROM shop.t WHERE id = 2;
INSERT INTO shop.t VALUES (4, 'a|b''s');
"""
WRONG = RIGHT.replace("-- expect: nothing", "-- expect: - 'x'")


def run(folder: Path, *arguments: str, code: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_case_is_a_test_and_other_sql_is_not(tmp_path: Path) -> None:
    (tmp_path / "right.sql").write_text(RIGHT)
    (tmp_path / "untitled.sql").write_text(RIGHT.partition("\n")[2])
    (tmp_path / "other.sql").write_text("-- title: something else\nSELECT 1;\n")
    assert "2 passed" in run(tmp_path, "-W", "error", code=0)
    run(tmp_path, "--st-record", "untitled.sql", code=0)
    assert "-- answer: 'x' | NULL\n" in (tmp_path / "untitled.sql").read_text()
    assert "2 passed" in run(tmp_path, code=0)


def test_a_failure_names_the_rows_and_the_step(tmp_path: Path) -> None:
    (tmp_path / "wrong.sql").write_text(WRONG)
    said = run(tmp_path, code=1)
    assert "wrong.sql:1: a value leaves with its last copy" in said
    assert "after the change in line 6: one of two copies goes" in said
    assert "missing: ('x',)" in said
    assert "Traceback" not in said


def test_record_writes_what_came_of_it_and_keeps_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "wrong.sql"
    file.write_text(WRONG + "\n\n" + WRONG.replace("a value", "the same value"))
    assert "2 passed" in run(tmp_path, "--st-record", code=0)
    recorded = file.read_text()
    first = RIGHT.replace("FROM shop.t;\n--", "FROM shop.t;\n-- answer: 'x' | NULL\n--")
    first += "-- expect: - 'x'\n-- expect: + 'a|b''s'\n"
    assert recorded == first + "\n\n" + first.replace("a value", "the same value")
    assert "2 passed" in run(tmp_path, code=0)


def test_a_case_without_a_query_is_said_where(tmp_path: Path) -> None:
    (tmp_path / "half.sql").write_text("-- title: half\n-- stream: sometimes\nSELECT 1;\n")
    assert "half.sql:2: unknown mode sometimes" in run(tmp_path, code=2)


def test_lanes_that_cannot_run_a_case_say_so(tmp_path: Path) -> None:
    (tmp_path / "spark.sql").write_text(RIGHT.replace("CREATE", "-- lane: spark alone\nCREATE", 1))
    assert "1 skipped" in run(tmp_path, "--st-lane", "duckdb", code=0)
    query = "SELECT DISTINCT v FROM shop.t"
    strange = RIGHT.replace(query, query.replace("v FROM", "soundex(v) AS v FROM"))
    (tmp_path / "spark.sql").write_text(strange)
    assert "DuckDB cannot run it" in run(tmp_path, "--st-lane", "duckdb", code=1)


@pytest.mark.spark
def test_the_kit_runs_on_spark(tmp_path: Path) -> None:
    (tmp_path / "right.sql").write_text(RIGHT)
    (tmp_path / "test_python.py").write_text(
        "from streamtables.testing import assert_incremental_equals_full\n"
        "def test_ready(stream_tables):\n"
        "    stream_tables.spark.sql('CREATE TABLE t (x INT) USING delta')\n"
        "    stream_tables.create_stream_table('s', 'SELECT x, count(*) AS n FROM t GROUP BY x')\n"
        "    assert stream_tables.refresh('s').action == 'NO_DATA'\n"
        "def test_random(stream_tables):\n"
        "    assert_incremental_equals_full('SELECT DISTINCT x FROM t', {'t': 'x INT'}, rounds=1,\n"
        "                                   stream_tables=stream_tables)\n"
    )
    assert "3 passed" in run(tmp_path, "--st-lane", "spark", code=0)


def test_the_specification_runs_on_the_kit() -> None:
    said = run(SQL / "operators", "--st-lane", "duckdb", "distinct.sql", code=0)
    assert said.count(".") >= 5
    assert "F" not in said


def test_the_plugin_costs_others_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\ndef test_other():\n"
        "    brought = {'pyspark', 'duckdb', 'sqlglot', 'sqlalchemy', 'streamtables.api'}\n"
        "    assert not brought & set(sys.modules)\n"
    )
    (tmp_path / "other.sql").write_text("-- title: of a report\nSELECT 1;\n")
    run(tmp_path, "-W", "error", code=0)
