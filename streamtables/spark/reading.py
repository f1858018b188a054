"""Reading a table as it was at one version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.spark import internals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.log import DeltaLog

# So many files are handed to Spark by name; of more, Delta's own scan leaves out those without wanted rows.
NAMED_FILES = 200


def read_version(spark: SparkSession, log: DeltaLog, version: int) -> DataFrame:
    """The rows of a version: later commits do not move it.

    The files of a local table are known here. To find them once more, Delta would make up each new version from its
    log, and run a job for every scan; the few files that statistics would leave out cost less than that.
    """
    if log.folder is not None:
        files = log.files(version)
        if len(files) <= NAMED_FILES:
            return internals.files_frame(spark, log.java_snapshot(version), files.values())
    return spark.read.format("delta").option("versionAsOf", version).load(log.path)


def read_feed(spark: SparkSession, log: DeltaLog, start: int, end: int) -> DataFrame:
    """The change feed after a version up to another, by Delta's own reader."""
    feed = spark.read.format("delta").option("readChangeFeed", "true")
    return feed.option("startingVersion", start + 1).option("endingVersion", end).load(log.path)
