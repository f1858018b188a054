"""What is kept beside a stream table: a private Delta table that says itself which frontier it belongs to.

It is written before the stream table, and counts only if it stands at the very positions that a refresh starts from;
otherwise it is made anew. So nothing can go wrong between the two commits, and it may be removed at any time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from streamtables.codec import frontier_from_json, frontier_to_json
from streamtables.errors import UnknownTable
from streamtables.spark import places, positions, vectors
from streamtables.spark.actions import SourceBroken
from streamtables.spark.apply import again_on_conflict, mark_session
from streamtables.spark.log import DeltaLog
from streamtables.spark.stamp import Stamp
from streamtables.spark.tables import mapping_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import Column, Frontier, Position, StreamTable


_PROPERTIES = {"delta.enableDeletionVectors": "true", "delta.checkpointInterval": "50"}
# Only compaction comes after a commit of our own.
_COMMITS_BACK = 3


class StateTable:
    """The state of one stream table."""

    def __init__(self, spark: SparkSession, folder: str, table: StreamTable) -> None:
        self._spark = spark
        self._path = f"{folder}/state/{table.id}"
        self._app_id = f"{table.app_id}:state"
        self._log: DeltaLog | None = None

    @property
    def log(self) -> DeltaLog | None:
        """Its log, if it was ever made."""
        if self._log is None:
            try:
                self._log = DeltaLog.of(self._spark, self._path)
            except UnknownTable:
                return None
        return self._log

    def types(self, at: Mapping[str, Position]) -> Mapping[str, str] | None:
        """The types of its columns, if it stands at these positions."""
        columns = self.columns(at)
        return {column.name: column.type for column in columns} if columns else None

    def columns(self, at: Mapping[str, Position]) -> tuple[Column, ...] | None:
        """Its columns, if it stands at these positions."""
        try:
            if self.log is None:
                return None
            commit = self.log.last_commit(self._app_id, limit=_COMMITS_BACK)
            if commit is None or commit.user_metadata is None:
                return None
            later = self.log.commits(commit.version, self.log.latest())
        except (UnknownTable, SourceBroken):
            return None
        if any(other.changes_rows for other in later):
            return None
        if dict(frontier_from_json(commit.user_metadata).positions) != dict(at):
            return None
        return self.log.metadata().columns

    def stamp(self, frontier: Frontier) -> Stamp:
        """What its next commit is to carry."""
        number = self.log.latest() + 1 if self.log is not None else 0
        return Stamp(self._app_id, number, frontier_to_json(frontier))

    def stay(self, spark: SparkSession, frontier: Frontier) -> None:
        """Stand at another frontier with the same rows."""
        assert self.log is not None
        vectors.commit_rows(spark, self.log, self.log.latest(), {}, None, self.stamp(frontier))

    def replace(self, spark: SparkSession, rows: pa.Table, frontier: Frontier) -> bool:
        """Hold these rows and no others, with columns as they are; False where the driver cannot write them."""
        assert self.log is not None
        log, stamp = self.log, self.stamp(frontier)
        coming = places.written(log, log.metadata(), rows) if rows.num_rows else []
        if coming is None or log.row_count() is None:
            return False

        def replaced() -> int:
            version = log.latest()
            held = {path: json.loads(file["stats"]) for path, file in log.files(version).items()}
            gone = {path: np.arange(told["numRecords"]) for path, told in held.items()}
            return positions.write(spark, log, version, gone, coming, stamp)

        again_on_conflict(replaced)
        return True

    def make(self, spark: SparkSession, rows: DataFrame, frontier: Frontier) -> None:
        """Hold these rows and no others."""
        mark_session(spark, self.stamp(frontier))
        writer = rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
        writer.options(**_PROPERTIES, **mapping_of(rows.columns)).save(self._path)
