"""A PostgreSQL server of the tests' own."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server that runs for the block; skips the test where none is installed."""
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
