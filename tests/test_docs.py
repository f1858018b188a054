"""The examples of README and docs/ run, their commands exist, their links lead somewhere.

The language of a block says what it is: one without is commands, or what a terminal shows.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest
import typer
from helpers.readme import HOME, PAGES
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import streamtables
from streamtables.cli.app import app
from streamtables.sql.split import split_statements
from streamtables.testing.cases import read_file
from streamtables.testing.duck_lane import DuckLane, duck_database
from streamtables.testing.follow import follow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from streamtables.api import StreamTables

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)\)")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
TESTERS = HOME / "docs" / "tester.md"  # its SQL is a case, its Python is tests


def blocks(page: Path, kind: str) -> list[str]:
    return [text for word, text in _BLOCK.findall(page.read_text("utf-8")) if word == kind]


def cells(page: Path) -> list[tuple[str, str]]:
    """What a reader of the page runs, in order, each with its language."""
    found = []
    for kind, text in _BLOCK.findall(page.read_text("utf-8")):
        if kind == "python":
            found.append((kind, text))
        elif kind == "sql":
            statements, rest = split_statements(text)
            found += [(kind, statement) for statement in (*statements, rest) if statement]
        elif kind == "ipython":
            found += [(kind, cell) for cell in text.split("\n\n")]
    return found


COMMAND_LINES = [
    line
    for page in PAGES
    for text in blocks(page, "")
    for line in text.splitlines()
    if re.match("streamtables [a-z]", line)  # not the prompt of the shell
]


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_is_understood(line: str) -> None:
    line = line.partition("#")[0].partition("&&")[0]
    _, verb, *rest = shlex.split(line)
    COMMANDS[verb].make_context(verb, rest)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text("utf-8")):
        assert (page.parent / link).exists(), link


@pytest.fixture
def notebook(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InteractiveShell]:
    """A reader's notebook in an empty folder; what it makes is thrown away."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(streamtables, "create_session", lambda warehouse: spark, raising=False)
    before = spark.catalog.listDatabases()
    yield InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    for schema in spark.catalog.listDatabases():
        if schema not in before:
            spark.sql(f"DROP SCHEMA {schema.name} CASCADE")


@pytest.mark.spark
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != TESTERS and cells(page)], ids=lambda page: page.name
)
def test_a_page_runs(page: Path, notebook: InteractiveShell) -> None:
    for kind, text in cells(page):
        if kind == "sql":
            notebook.user_ns["st"].sql(text)
        else:
            notebook.run_cell(text).raise_error()


def test_the_case_runs(tmp_path: Path) -> None:
    (text,) = blocks(TESTERS, "sql")
    file = tmp_path / "case.sql"
    file.write_text(text, "utf-8")
    (case,) = read_file(file)
    with duck_database() as database:
        assert len(follow(case, DuckLane(database, case)).answers) == 2


def test_the_python_of_testers_runs() -> None:
    text, _ = blocks(TESTERS, "python")
    exec(compile(text, "tester.md", "exec"), {})


@pytest.fixture(scope="session")
def streamtables_spark(one_spark: SparkSession) -> SparkSession:
    return one_spark


@pytest.mark.spark
def test_the_test_of_testers_passes(stream_tables: StreamTables) -> None:
    _, text = blocks(TESTERS, "python")
    names: dict[str, Any] = {}
    exec(compile(text, "tester.md", "exec"), names)
    names["test_revenue"](stream_tables)
