"""The examples of docs/ run, their commands exist, their links lead somewhere."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
import typer
from helpers.readme import HOME, PAGES

from streamtables.cli.app import app
from streamtables.testing.cases import read_file
from streamtables.testing.duck_lane import DuckLane, duck_database
from streamtables.testing.follow import follow

if TYPE_CHECKING:
    from pathlib import Path


_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)\)")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def blocks(page: Path, kind: str) -> list[str]:
    return [text for word, text in _BLOCK.findall(page.read_text("utf-8")) if word == kind]


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


def test_the_case_runs(tmp_path: Path) -> None:
    (text,) = blocks(HOME / "docs" / "tester.md", "sql")
    file = tmp_path / "case.sql"
    file.write_text(text, "utf-8")
    (case,) = read_file(file)
    with duck_database() as database:
        assert len(follow(case, DuckLane(database, case)).answers) == 2


def test_the_python_of_testers_runs() -> None:
    (text,) = blocks(HOME / "docs" / "tester.md", "python")
    exec(compile(text, "tester.md", "exec"), {})
