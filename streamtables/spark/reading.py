"""Reading a table as it was at one version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.log import DeltaLog


def read_version(spark: SparkSession, log: DeltaLog, version: int) -> DataFrame:
    """The rows of a version: later commits do not move it. The newest one costs nothing extra."""
    return spark.read.format("delta").option("versionAsOf", version).load(log.path)
