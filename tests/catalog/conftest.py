"""Registries of every kind, and processes to use them."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from streamtables.catalog.memory import MemoryCatalog
from streamtables.catalog.registry import Registry
from streamtables.model import (
    Column,
    RefreshMode,
    Source,
    SourceKind,
    StreamTable,
    TableName,
)

if TYPE_CHECKING:
    from streamtables.catalog.base import Catalog

ROOT = Path(__file__).parents[2]
NUMBERS = itertools.count()
MakeTable = Callable[..., StreamTable]
StartProcess = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """Where an empty registry may be kept: None is the warehouse's SQLite."""
    return None if request.param == "sqlite" else _new_schema(request)


def _new_schema(request: pytest.FixtureRequest) -> str:
    server = request.getfixturevalue("postgres")
    psycopg = pytest.importorskip("psycopg")
    schema = f"test_{next(NUMBERS)}"
    with psycopg.connect(server) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{server}&options={quote(f'-csearch_path={schema}')}"


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    """An empty registry of each kind."""
    if request.param == "memory":
        opened: Catalog = MemoryCatalog()
    else:
        url = _new_schema(request) if request.param == "postgresql" else None
        opened = Registry.open(tmp_path, url)
    with contextlib.closing(opened):
        yield opened


@pytest.fixture
def make_table() -> MakeTable:
    """A function that makes stream tables: a name, and what is to differ."""

    def make(name: str = "sales.by_region", **changes: Any) -> StreamTable:
        columns = (Column("region", "string"), Column("total", "decimal(20,2)"))
        source = Source(TableName.parse("sales.orders"), SourceKind.DELTA, columns)
        values: dict[str, Any] = {
            "id": f"id-{name}",
            "name": TableName.parse(name),
            "query": "SELECT region, sum(amount) AS total FROM sales.orders GROUP BY region",
            "schedule": "5m",
            "refresh_mode": RefreshMode.AUTO,
            "columns": columns,
            "sources": (source,),
            "fingerprint": "f1",
            "generation": 1,
            "created_at": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc),
        }
        return StreamTable(**{**values, **changes})

    return make


@pytest.fixture
def start_process() -> Iterator[StartProcess]:
    """A function that runs Python text in a process of its own; killed when the test ends."""
    with contextlib.ExitStack() as started:

        def start(text: str, *arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", text, *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            started.enter_context(process)
            started.callback(process.kill)
            return process

        yield start
