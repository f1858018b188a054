"""The examples run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamtables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.spark
def test_the_demo(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("demo", EXAMPLES / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    demo.ROWS = 9_000
    st = streamtables.StreamTables(spark, str(tmp_path))
    try:
        demo.run(spark, st)
    finally:
        for name in reversed(list(demo.TABLES)):
            st.drop_stream_table(name)
        spark.sql("DROP SCHEMA shop CASCADE")
    said = capsys.readouterr().out
    assert said.count(" INCREMENTAL  CHANGE_SMALL ") == 2 * len(demo.TABLES)
    assert said.count("equals its query") == len(demo.TABLES)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_new_users_first_project(tmp_path: Path) -> None:
    folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        ["bash", str(EXAMPLES / "first_project.sh")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    said = run.stdout
    assert said.count("INCREMENTAL  CHANGE_SMALL") >= 2
    assert "shop.by_country equals its query" in said
    assert said.count("unchanged") == 2
