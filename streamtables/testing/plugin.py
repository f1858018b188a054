"""The pytest plug-in: collects case files, gives fixtures. Every run of pytest imports it: it imports nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from streamtables.api import StreamTables

_WORD = re.compile(
    rb"^(?:\xef\xbb\xbf)?--[ \t]*(title|stream|change|answer|expect)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--st-lane` and `--st-record`."""
    group = parser.getgroup("streamtables", "stream tables, tested by files of SQL")
    group.addoption(
        "--st-lane",
        choices=("auto", "duckdb", "spark"),
        default="auto",
        help="Where cases run: on DuckDB and, what it cannot run, on Spark (auto); or on one of them.",
    )
    group.addoption(
        "--st-record",
        action="store_true",
        help="Write what came of each change into the case files, where it is the query in full.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of SQL that holds cases; any other is left alone."""
    if file_path.suffix != ".sql" or not _holds_cases(file_path):
        return None
    from streamtables.testing.items import CaseFile

    return CaseFile.from_parent(parent, path=file_path)


def _holds_cases(path: Path) -> bool:
    """Read as text: to understand SQL is an import that costs those who have other files of SQL."""
    words = {found[1].lower() for found in _WORD.finditer(path.read_bytes())}
    return b"stream" in words and len(words) > 1


@pytest.fixture(scope="session")
def streamtables_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A Spark session with Delta Lake in a throw-away warehouse; define a fixture of this name to bring your own."""
    from streamtables.testing.session import short_session

    session = short_session(tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def streamtables_cases(
    streamtables_spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> StreamTables:
    """The stream tables of all case files that run on Spark."""
    from streamtables.api import StreamTables

    return StreamTables(streamtables_spark.newSession(), str(tmp_path_factory.mktemp("cases")))


@pytest.fixture
def stream_tables(streamtables_spark: SparkSession, tmp_path: Path) -> Iterator[StreamTables]:
    """A registry with nothing in it, a warehouse and a current schema of their own; `.spark` is the session."""
    from streamtables.testing.scratch import scratch

    with scratch(streamtables_spark, tmp_path / "warehouse") as st:
        yield st
