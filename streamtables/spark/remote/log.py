"""A Delta table's log by SQL, and by reading the texts of its commits as a file format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from streamtables.errors import SessionLacks, UnknownTable
from streamtables.model import TableName
from streamtables.spark.actions import Metadata, Snapshot
from streamtables.spark.log import DeltaLog
from streamtables.spark.reading import read_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Row, SparkSession

    from streamtables.model import Position

# So many commits are read at once: their names are one pattern.
_AT_ONCE = 200


class RemoteLog(DeltaLog):
    """The log of one Delta table, each look at which is a call to the server."""

    is_remote = True

    def __init__(self, spark: SparkSession, path: str) -> None:
        super().__init__(spark, path)
        self._folder = None  # it may be on a disk of the server's
        self._name = TableName(("delta", path))
        self._seen: tuple[int, Any] | None = None

    @classmethod
    def of(cls, spark: SparkSession, path: str) -> DeltaLog:
        """The log of the table at a path."""
        found = detail(spark, TableName(("delta", path)))
        if found is None:
            raise UnknownTable(f"There is no Delta table at {path}")
        return cls(spark, found.location)

    def latest(self) -> int:
        """The newest version."""
        return self._newest()[0]

    def position(self) -> Position:
        """The newest version, with the identity and the schema that it has there: one call if it was seen before."""
        newest = self._newest()
        if newest != self._seen:
            self._remember(self.snapshot(newest[0]))
            self._seen = newest
        assert self._known is not None
        return self._known.metadata.at(newest[0])

    def snapshot(self, version: int | None = None) -> Snapshot:
        """A version: its schema as it was, the rest of its metadata as it is."""
        wanted = self.latest() if version is None else version
        found = self._detail()
        schema = read_version(self.spark, self, wanted).schema.json()
        metadata = Metadata(found.id, schema, tuple(found.partitionColumns), dict(found.properties))
        return Snapshot(wanted, metadata, frozenset(found.tableFeatures))

    def java_snapshot(self, version: int | None = None) -> Any:
        """Nothing has it here, nor what it says of files."""
        raise SessionLacks(
            "Through Spark Connect nothing tells the files of a table",
            hint="Run this where the driver is: streamtables with --master, or the daemon.",
        )

    def sizes(self) -> list[int]:
        """How many bytes each file of the newest version has, as if all were alike."""
        found = self._detail()
        return [found.sizeInBytes // max(found.numFiles, 1)] * found.numFiles

    def has(self, files: Sequence[str]) -> bool:
        """Nothing tells here: reading them does."""
        return True

    def row_count(self) -> int | None:
        """How many rows the newest version has: Delta answers by its statistics where it can."""
        return read_version(self.spark, self, self.latest()).count()

    def transaction(self, app_id: str, version: int | None = None) -> int | None:
        """The newest transaction of an application among the last commits up to a version."""
        commit = self.last_commit(app_id, until=version)
        return commit.transactions[app_id] if commit else None

    def _newest(self) -> tuple[int, Any]:
        """The newest version and when it was made, which tells it from that of another table in its place."""
        from pyspark.errors import AnalysisException

        try:
            (newest,) = self.spark.sql(f"DESCRIBE HISTORY {self._name.quoted} LIMIT 1").collect()
        except AnalysisException:
            raise self._gone() from None
        return int(newest.version), newest.timestamp

    def _detail(self) -> Row:
        found = detail(self.spark, self._name)
        if found is None:
            raise self._gone()
        return found

    def _texts(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        from pyspark.errors import AnalysisException

        for first in range(start, end + 1, _AT_ONCE):
            versions = range(first, min(first + _AT_ONCE, end + 1))
            try:
                yield from self._read(versions)
            except AnalysisException:  # none of them is there
                continue

    def _read(self, versions: range) -> list[tuple[int, str]]:
        names = ",".join(f"{version:020}" for version in versions)
        folder = re.sub(r"([\[\]{}*?\\,])", r"\\\1", self.path)
        files = self.spark.read.text(f"{folder}/_delta_log/{{{names}}}.json", wholetext=True)
        rows = files.selectExpr("_metadata.file_name AS name", "value").collect()
        return sorted((int(row.name.partition(".")[0]), row.value) for row in rows)


def detail(spark: SparkSession, name: TableName) -> Row | None:
    """What Delta tells of a table; None where there is none, or it is of another kind."""
    from pyspark.errors import AnalysisException

    try:
        found = spark.sql(f"DESCRIBE DETAIL {name.quoted}").collect()
    except AnalysisException:
        return None
    return found[0] if found and found[0].format == "delta" else None
