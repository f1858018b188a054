"""Answers of steps, materialised: small ones on the driver as literals, large ones kept where they were computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from streamtables.sql.literals import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from streamtables.plan.expr import Expr

# Rows that Spark brings to the driver; more stay distributed.
LOCAL_ROWS = 200_000
# Rows that the driver reads and computes by itself.
HERE_ROWS = 2_000_000
# Rows that go back to Spark are a constant of its plan, which its optimizer walks through, or data, if they are more.
CONSTANT_BYTES, BROADCAST_BYTES = 2 * 2**20, 64 * 2**20
# Different values of a key that are written into SQL as literals; more are joined.
LITERAL_KEYS = 2_000


class Relation:
    """A materialised answer: the frame to read it from, and its rows where they are on the driver."""

    def __init__(
        self,
        frame: DataFrame | Callable[[], DataFrame],
        row_count: int,
        local: pa.Table | None,
        schema: StructType | None = None,
    ) -> None:
        self._frame = frame
        self.row_count = row_count
        self.local = local
        self._schema = schema

    @property
    def schema(self) -> StructType:
        """The types of its columns; of rows on the driver known without a frame."""
        return self._schema or self.frame.schema

    @property
    def frame(self) -> DataFrame:
        """The frame, made when it is first asked for: of rows on the driver mostly never."""
        if callable(self._frame):
            self._frame = self._frame()
        return self._frame

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
            found = self.local.column(column).to_numpy()
            return int(found[found > 0].sum()), -int(found[found < 0].sum())
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
        return self.rows_of(self.local.filter(local))

    def select(self, names: Sequence[str]) -> Relation:
        """Some of its columns."""
        if self.local is None:
            return Relation(self.frame.select(*names), -1, None)
        return self.rows_of(self.local.select(list(names)))

    def renamed(self, names: Sequence[str]) -> Relation:
        """The same rows under other names."""
        local = self.local.rename_columns(list(names)) if self.local is not None else None
        return Relation(
            lambda: self.frame.toDF(*names) if names else self.frame, self.row_count, local
        )

    def release(self) -> None:
        """Let go of what is kept in the executors."""
        if self.local is None:
            self.frame.unpersist()

    def rows_of(self, table: pa.Table) -> Relation:
        """Rows and columns of it that are on the driver, with the types that they have here."""
        if not table.column_names:
            return Relation(self.frame, table.num_rows, table)
        kept = [field for field in self.schema.fields if field.name in table.column_names]
        return here(self.frame.sparkSession, table, StructType(kept))


def here(spark: SparkSession, rows: pa.Table, schema: StructType | None = None) -> Relation:
    """Rows that are on the driver; without a schema they have the types that Arrow tells.

    Spark, asked to tell them itself, would take a moment without a zone for one with. Of rows in several chunks it
    leaves out those after an empty one.
    """
    make: Any = spark.createDataFrame
    rows = rows.combine_chunks()
    schema = schema or from_arrow_schema(rows.schema)

    def frame() -> DataFrame:
        made: DataFrame = make(rows, schema=schema)
        is_data = CONSTANT_BYTES < rows.nbytes < BROADCAST_BYTES
        return f.broadcast(made) if is_data else made

    return Relation(frame, rows.num_rows, rows, schema)


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
    table = small(frame, is_bounded=is_small)
    if table is not None:
        return here(spark, table, frame.schema)
    kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
    return Relation(kept, kept.count(), None)


def small(frame: DataFrame, *, is_bounded: bool) -> pa.Table | None:
    """The rows of a frame, if they are few and travel."""
    if not all(_travels(field.dataType.simpleString()) for field in frame.schema.fields):
        return None
    table = (frame if is_bounded else frame.limit(LOCAL_ROWS + 1)).toArrow()
    return table if table.num_rows <= LOCAL_ROWS else None


def _travels(type_name: str) -> bool:
    """Whether values of a type survive the way to the driver and back unchanged."""
    return not any(word in type_name for word in ("variant", "interval", "collate", "void", "geo"))
