"""Counted rows as the rows of a table: repeated, under its names, of its types."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from streamtables.model import Column
    from streamtables.spark.relations import Relation


def copies(relation: Relation, counts: Sequence[str], columns: Sequence[Column]) -> DataFrame:
    """The rows of a counted relation, each as often as its columns of counts add up to."""
    count = reduce(add, map(f.col, counts))
    frame = relation.frame.where(count > 0)
    if len(counts) > 1 or relation.most(*counts) != 1:
        repeated = f.explode(f.array_repeat(f.lit(1), count.cast("int")))
        frame = frame.withColumn("_copy", repeated)
    return in_columns(frame.select(*map(_quoted, frame.columns[: len(columns)])), columns)


def in_columns(frame: DataFrame, columns: Sequence[Column]) -> DataFrame:
    """The frame's columns under a table's names and types, by position."""
    pairs = zip(frame.columns, columns, strict=True)
    return frame.select(
        *(f.col(_quoted(name)).cast(column.type).alias(column.name) for name, column in pairs)
    )


def _quoted(name: str) -> str:
    return TableName((name,)).quoted
