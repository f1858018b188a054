"""The commands that share definitions and pages, and the one that runs tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest
from helpers.page_registry import filled
from typer.testing import CliRunner

from streamtables.catalog.registry import Registry
from streamtables.cli import app
from streamtables.errors import StreamTablesError

if TYPE_CHECKING:
    from pathlib import Path

CASE = """-- title: one
CREATE TABLE t (x INT);
-- stream: incremental
SELECT x FROM t;
-- change: a row comes
INSERT INTO t VALUES (1);
-- expect: + 1
"""


@pytest.fixture
def warehouse(tmp_path: Path) -> str:
    """A warehouse whose registry holds a graph."""
    registry = Registry.open(tmp_path)
    for table in filled().tables():
        registry.add(table)
    registry.close()
    return str(tmp_path)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_lineage_in_every_form(warehouse: str, tmp_path: Path) -> None:
    assert "shop.best reads shop.revenue" in run("lineage", "shop.best", "-w", warehouse)
    told = json.loads(run("lineage", "shop.best", "-w", warehouse, "--json"))
    assert [table["name"] for table in told["tables"]] == [
        "shop.best",
        "shop.orders",
        "shop.revenue",
    ]
    assert run("lineage", "-w", warehouse, "--mermaid").startswith(("graph", "flowchart"))
    file = tmp_path / "lineage.html"
    run("lineage", "-w", warehouse, "--html", str(file))
    assert "<svg" in file.read_text("utf-8")


def test_export_to_a_folder_and_to_a_pipe(warehouse: str, tmp_path: Path) -> None:
    assert run("export", "shop.best", "-w", warehouse).startswith("CREATE STREAM TABLE shop.best")
    listed = run("export", "-w", warehouse, "--to", str(tmp_path / "project")).splitlines()
    assert len(listed) == len(filled().tables())
    assert "SCHEDULE 'DOWNSTREAM'" in (tmp_path / "project/tables/shop/best.sql").read_text()
    with pytest.raises(StreamTablesError, match="is there already"):
        run("export", "-w", warehouse, "--to", str(tmp_path / "project"))


def test_the_page_is_served_until_it_is_interrupted(warehouse: str) -> None:
    command = [sys.executable, "-m", "streamtables.cli", "page", "-w", warehouse, "--port", "0"]
    # A shell lets what it runs in the background ignore the interrupt.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    signal.signal(signal.SIGINT, heard)
    assert process.stdout is not None
    with process.stdout:
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=120) as answer:
            assert b"shop.baskets" in answer.read()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(120) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "code"), [(CASE, 0), (CASE.replace("+ 1", "+ 2"), 1), ("SELECT 1;\n", 1)]
)
def test_test(tmp_path: Path, text: str, code: int) -> None:
    (tmp_path / "case.sql").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "streamtables.cli", "test", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    if text == "SELECT 1;\n":
        (line,) = done.stderr.splitlines()
        assert line.startswith("streamtables: There is no test in ")


@pytest.mark.long
def test_the_sample_project_passes_its_own_tests(tmp_path: Path) -> None:
    run("init", str(tmp_path / "shop"))
    done = subprocess.run(
        [sys.executable, "-m", "streamtables.cli", "test"],
        cwd=tmp_path / "shop",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
