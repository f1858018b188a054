"""Small files of our own tables written together: each refresh adds one, and every look for rows opens them all.

It is never part of a refresh. The commit changes no rows, so whoever reads the table finds nothing new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from streamtables.spark.log import DeltaLog

# Files below this size are small, and so many of them are worth a rewrite.
SMALL_BYTES = 32 * 2**20
MANY_FILES = 20
_SETTINGS = {
    "spark.databricks.delta.optimize.minFileSize": str(SMALL_BYTES),
    "spark.databricks.delta.optimize.maxFileSize": str(4 * SMALL_BYTES),
}


def compacted(
    session: Callable[[], AbstractContextManager[SparkSession]],
    log: DeltaLog,
    state: DeltaLog | None,
    *,
    always: bool,
) -> tuple[int, int]:
    """Write small files together where they are many, or `always`; gives the table's files before and after."""
    before = len(log.sizes())
    for own in (log, state):
        if own is not None and _small_files(own) >= (2 if always else MANY_FILES):
            with session() as spark:
                _compact(spark, own)
    return before, len(log.sizes())


def _small_files(log: DeltaLog) -> int:
    """How many small files a table has."""
    return sum(size < SMALL_BYTES for size in log.sizes())


def _compact(spark: SparkSession, log: DeltaLog) -> None:
    """Write a table's small files, and those of which much is hidden, together; in a session of its own."""
    for key, value in _SETTINGS.items():
        spark.conf.set(key, value)
    spark.sql(f"OPTIMIZE {TableName(('delta', log.path)).quoted}")
