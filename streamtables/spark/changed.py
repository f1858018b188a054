"""The change of one source over a window, put in place for plans to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from streamtables.spark.actions import Break, SourceBroken
from streamtables.spark.changes import read_changes
from streamtables.spark.clock import clock_change
from streamtables.spark.relations import HERE_ROWS, LOCAL_ROWS, materialise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from streamtables.model import Window
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation


def changed(
    spark: SparkSession, log: DeltaLog | None, window: Window, columns: Sequence[str]
) -> Relation:
    """The changed rows of a source, each once with its weight; without a log the source is the clock."""
    if log is None:
        return materialise(spark, clock_change(spark, window, columns), is_small=True)
    read = read_changes(spark, log, window.since.version, window.until.version, columns)
    if read.relation.local is not None and read.relation.row_count <= HERE_ROWS:
        return read.relation
    is_small = read.rows_estimate is not None and read.rows_estimate <= LOCAL_ROWS
    try:
        return materialise(spark, read.frame, is_small=is_small)
    except PySparkException as error:
        if "FILE_NOT_EXIST" not in str(error):
            raise
        raise SourceBroken(Break.VERSION_VACUUMED, f"Files of {log.path} are gone") from error
