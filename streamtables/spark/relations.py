"""Answers of steps, materialised: small ones on the driver as literals, large ones kept where they were computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from streamtables.sql.literals import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from streamtables.plan.expr import Expr

# Rows that are brought to the driver; more stay distributed.
LOCAL_ROWS = 50_000
# Different values of a key that are written into SQL as literals; more are joined.
LITERAL_KEYS = 2_000


@dataclass(frozen=True)
class Relation:
    """A materialised answer: the frame to read it from, and its rows where they are on the driver."""

    frame: DataFrame
    row_count: int
    local: pa.Table | None

    def values(self, column: str) -> Sequence[Expr] | None:
        """The different values of a column as literals; None where unknown, too many, or not to be written."""
        return None if self.local is None else distinct_literals(self.local.column(column))

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.local.column_names if self.local is not None else self.frame.columns

    def weights(self, column: str) -> tuple[int, int]:
        """The sums of the weights above zero, and of those below zero without their sign."""
        if self.local is not None:
            found = self.local.column(column).to_pylist()
            return sum(w for w in found if w > 0), -sum(w for w in found if w < 0)
        weight = f.col(column)
        parts = (f.sum(f.when(weight > 0, weight)), f.sum(f.when(weight < 0, -weight)))
        row = self.frame.agg(*(f.coalesce(part, f.lit(0)) for part in parts)).collect()[0]
        return int(row[0]), int(row[1])

    def most(self, column: str) -> int | None:
        """The largest value of a column, where that is known without a job."""
        return pc.max(self.local.column(column)).as_py() if self.local is not None else None

    def least(self, column: str) -> int | None:
        """The smallest value of a column; None where there are no rows."""
        if self.local is not None:
            found: int | None = pc.min(self.local.column(column)).as_py()
            return found
        value: int | None = self.frame.agg(f.min(column)).collect()[0][0]
        return value

    def where(self, local: pc.Expression, distributed: Column) -> Relation:
        """The rows for which a condition, given for both forms, is true."""
        if self.local is None:
            return Relation(self.frame.where(distributed), -1, None)
        return self._of(self.local.filter(local))

    def select(self, names: Sequence[str]) -> Relation:
        """Some of its columns."""
        if self.local is None:
            return Relation(self.frame.select(*names), -1, None)
        return self._of(self.local.select(list(names)))

    def renamed(self, names: Sequence[str]) -> Relation:
        """The same rows under other names."""
        local = self.local.rename_columns(list(names)) if self.local is not None else None
        frame = self.frame.toDF(*names) if names else self.frame
        return Relation(frame, self.row_count, local)

    def release(self) -> None:
        """Let go of what is kept in the executors."""
        if self.local is None:
            self.frame.unpersist()

    def _of(self, table: pa.Table) -> Relation:
        if not table.column_names:
            return Relation(self.frame, table.num_rows, table)
        kept = [field for field in self.frame.schema.fields if field.name in table.column_names]
        frame: Any = self.frame.sparkSession.createDataFrame(table, schema=StructType(kept))
        return Relation(frame, table.num_rows, table)


def distinct_literals(column: pa.ChunkedArray) -> list[Expr] | None:
    """The different values of a column as literals; None where there are too many, or some cannot be written."""
    if pa.types.is_nested(column.type):
        return None
    found = column.unique()
    if len(found) > LITERAL_KEYS:
        return None
    try:
        literals = [literal(value) for value in found.to_pylist()]
    except (OverflowError, ValueError):  # a moment that Python has no value for, such as year 10000
        return None
    return None if any(value is None for value in literals) else [v for v in literals if v]


def materialise(spark: SparkSession, frame: DataFrame, *, is_small: bool = False) -> Relation:
    """Compute a frame once, so that everything after sees the same rows.

    Of a frame that is known to be small no limit is asked, which would cost a shuffle.
    """
    if all(_travels(field.dataType.simpleString()) for field in frame.schema.fields):
        table = (frame if is_small else frame.limit(LOCAL_ROWS + 1)).toArrow()
        if table.num_rows <= LOCAL_ROWS:
            local: Any = spark.createDataFrame(table, schema=frame.schema)
            return Relation(local, table.num_rows, table)
    kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
    return Relation(kept, kept.count(), None)


def _travels(type_name: str) -> bool:
    """Whether values of a type survive the way to the driver and back unchanged."""
    return not any(word in type_name for word in ("variant", "interval", "collate", "void", "geo"))
