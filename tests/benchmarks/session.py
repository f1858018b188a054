"""A Spark for measuring, in a warehouse that is removed afterwards, and the settings that `make` passes on."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.meter import SETTINGS

import streamtables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@contextmanager
def session() -> Iterator[tuple[SparkSession, Path]]:
    """The session and its warehouse; TMPDIR says where that lies, MEMORY how much the driver has."""
    folder = tempfile.mkdtemp(prefix="streamtables-bench-")
    config = {**SETTINGS, "spark.driver.memory": setting("MEMORY", "6g")}
    spark = streamtables.create_session(folder, master="local[2]", config=config)
    try:
        yield spark, Path(folder)
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


def setting(name: str, default: str) -> str:
    """A variable of the environment; empty is as good as none."""
    return os.environ.get(name) or default


def settings(name: str, default: str) -> list[str]:
    """A variable that holds several values."""
    return setting(name, default).replace(",", " ").split()
