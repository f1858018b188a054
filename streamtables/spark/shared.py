"""Changes of sources read lately: tables over one source that take in the same versions share one read.

    change(v, w, columns) = Σ over the other columns of change(v, w, more columns)

What lies between two versions of a table never changes, so a change that was read serves every table that takes in the
same window. Only small changes are kept, and only the newest of them; whoever asks while another reads waits for it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from streamtables.spark.changed import changed
from streamtables.spark.consolidate import WEIGHT
from streamtables.spark.relations import LOCAL_ROWS, here
from streamtables.spark.summed import are_plain, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from streamtables.model import Window
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation

# So many windows are remembered, each of at most `LOCAL_ROWS` rows.
WINDOWS = 16


@dataclass
class _Read:
    """What was read of one window, and the lock of who reads it."""

    lock: Lock = field(default_factory=Lock)
    found: list[tuple[pa.Table, StructType]] = field(default_factory=list)
    is_large: bool = False


class SharedChanges:
    """The changes that one engine read, for all its refreshes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reads: OrderedDict[tuple[object, ...], _Read] = OrderedDict()

    def read(
        self, spark: SparkSession, log: DeltaLog | None, window: Window, columns: Sequence[str]
    ) -> Relation:
        """The changed rows of a source, each once with its weight; without a log the source is the clock."""
        if log is None:
            return changed(spark, None, window, columns)
        known = self._of(log, window)
        if known.is_large:
            return changed(spark, log, window, columns)
        with known.lock:
            for rows, schema in known.found:
                if (part := _narrowed(rows, schema, columns)) is not None:
                    return here(spark, *part)
            relation = changed(spark, log, window, columns)
            if relation.local is None or relation.row_count > LOCAL_ROWS:
                known.is_large = True
            else:
                known.found.append((relation.local, relation.schema))
            return relation

    def _of(self, log: DeltaLog, window: Window) -> _Read:
        key = (log.path, window.since, window.until)
        with self._lock:
            read = self._reads.setdefault(key, _Read())
            self._reads.move_to_end(key)
            while len(self._reads) > WINDOWS:
                self._reads.popitem(last=False)
            return read


def _narrowed(
    rows: pa.Table, schema: StructType, columns: Sequence[str]
) -> tuple[pa.Table, StructType] | None:
    """Some columns of a change, each row once; None where it lacks some, or Spark alone knows what is equal."""
    from pyspark.sql.types import StructType

    wanted = [*columns, WEIGHT]
    if not set(wanted) <= set(rows.column_names):
        return None
    by_name = {field.name: field for field in schema.fields}
    kept = StructType([by_name[name] for name in wanted])
    if len(wanted) == rows.num_columns:
        return rows.select(wanted), kept
    if not are_plain(kept):
        return None
    summed = together([rows.select(wanted)], tuple(wanted))
    return None if summed is None else (summed, kept)
