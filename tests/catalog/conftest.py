"""Registries of every kind, a PostgreSQL server to keep them in, and processes to use them."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of this session's own."""
    folders = [None, *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    initdb = next(filter(None, (shutil.which("initdb", path=path) for path in folders)), None)
    if initdb is None:
        pytest.skip("PostgreSQL's server (initdb, postgres) is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        with _postgres(Path(initdb).resolve().parent, folder) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _postgres(programs: Path, folder: Path) -> Iterator[str]:
    as_user: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:  # the server refuses to run as root
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_user |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    files = folder / "data"
    new = ["--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
    subprocess.run([programs / "initdb", "-D", files, *new], check=True, **as_user)
    settings = ["listen_addresses=", "fsync=off", "max_connections=50", "shared_buffers=16MB"]
    options = [part for setting in settings for part in ("-c", setting)]
    command: list[str | Path] = [programs / "postgres", "-D", files, "-k", folder, *options]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stderr=log, **as_user) as server,
    ):
        url = f"postgresql://postgres@/postgres?host={folder}"
        try:
            _wait_for(url)
            yield url
        finally:
            server.send_signal(signal.SIGINT)  # "fast": do not wait for clients


def _wait_for(url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    for _ in range(300):
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(url).close()
            return
        time.sleep(0.1)
    raise TimeoutError("PostgreSQL did not start")


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
