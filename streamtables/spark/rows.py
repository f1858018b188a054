"""Counted rows as the rows of a table: repeated, under its names, of its types."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

    from streamtables import model
    from streamtables.spark.relations import Relation

_VARIANT = "variant"


def copies(relation: Relation, counts: Sequence[str], columns: Sequence[model.Column]) -> DataFrame:
    """The rows of a counted relation, each as often as its columns of counts add up to."""
    count = reduce(add, map(f.col, counts))
    frame = relation.frame.where(count > 0)
    if len(counts) > 1 or relation.most(*counts) != 1:
        repeated = f.explode(f.array_repeat(f.lit(1), count.cast("int")))
        frame = frame.withColumn("_copy", repeated)
    return in_columns(frame.select(*map(_quoted, frame.columns[: len(columns)])), columns)


def in_columns(frame: DataFrame, columns: Sequence[model.Column]) -> DataFrame:
    """The frame's columns under a table's names and types, by position."""
    pairs = zip(frame.columns, columns, strict=True)
    return frame.select(
        *(f.col(_quoted(name)).cast(column.type).alias(column.name) for name, column in pairs)
    )


def comparable(frame: DataFrame) -> DataFrame:
    """The frame with variants, which Spark does not compare, as JSON: of a whole column of them with their types."""
    fields = frame.schema.fields
    if not any(_VARIANT in field.dataType.simpleString() for field in fields):
        return frame
    return frame.select(*map(_comparable, fields))


def _comparable(field: StructField) -> Column:
    kind, value = field.dataType.simpleString(), f.col(_quoted(field.name))
    if _VARIANT not in kind:
        return value
    told = f.to_json(value)
    # JSON does not tell a date from its text.
    told = f.concat(f.schema_of_variant(value), told) if kind == _VARIANT else told
    return told.alias(field.name)


def _quoted(name: str) -> str:
    return TableName((name,)).quoted
