"""Sources that are not Delta tables: a private Delta copy of each, brought up to date by comparing.

The copy is a Delta table like any other, so what follows the changes of sources follows those of copies. Each look at
such a source reads it in full: it has no log to tell whether anything changed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from streamtables.errors import SourceChanged, UnknownTable
from streamtables.model import Column, Source, SourceKind
from streamtables.spark.consolidate import consolidated, weighted
from streamtables.spark.reading import read_version
from streamtables.spark.tables import mapping_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import TableName
    from streamtables.spark.log import DeltaLog


class Mirrors:
    """The private copies, in one folder; two processes that bring one up to date take turns."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str,
        locked: Callable[[str], AbstractContextManager[object]],
        log_type: type[DeltaLog],
    ) -> None:
        self._spark, self._log_type = spark, log_type
        self._folder = folder
        self._locked = locked

    def source(self, name: TableName) -> Source:
        """A table that is not a Delta table, as a source."""
        fields = self._read(name).schema.fields
        columns = tuple(Column(field.name, field.dataType.simpleString()) for field in fields)
        return Source(name, SourceKind.MIRRORED, columns)

    def log(self, source: Source, *, is_synced: bool) -> DeltaLog:
        """The log of a source's copy, brought up to date if asked."""
        path = f"{self._folder}/{hashlib.sha256(source.name.key.encode()).hexdigest()[:16]}"
        if is_synced:
            with self._locked(f"mirror of {source.name}"):
                self._sync(source, path)
        return self._log_type.of(self._spark, path)

    def _sync(self, source: Source, path: str) -> None:
        now = self._read(source.name)
        names = [column.name for column in source.columns]
        gone = set(names) - set(now.columns)
        if gone:
            raise SourceChanged(
                f"{source.name} no longer has the columns {', '.join(sorted(gone))}",
                hint="Alter the stream table's query, or drop it.",
            )
        now = now.select(*(f"`{name.replace('`', '``')}`" for name in names))
        try:
            log = self._log_type.of(self._spark, path)
        except UnknownTable:
            now.write.format("delta").options(**mapping_of(names)).save(path)
            return
        then = read_version(self._spark, log, log.latest())
        both = weighted(now, names, 1).unionAll(weighted(then, names, -1))
        if not consolidated(both).isEmpty():
            now.write.format("delta").mode("overwrite").save(path)

    def _read(self, name: TableName) -> DataFrame:
        from pyspark.errors import AnalysisException

        try:
            return self._spark.table(name.quoted)
        except AnalysisException:
            raise UnknownTable(
                f"There is no table {name}", hint="Check the spelling, and the schema it is in."
            ) from None
