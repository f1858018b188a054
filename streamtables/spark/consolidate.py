"""Weighted rows: equal rows as one, with the sum of their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

WEIGHT = "_weight"


def consolidated(weighted: DataFrame) -> DataFrame:
    """Each row once, with a weight that is not 0; equal is what `GROUP BY` takes for equal.

    Variants do not group; they are equal here where their text and its types are.
    """
    from pyspark.sql import functions as f

    keys, values, columns = [], [], []
    for number, field in enumerate(weighted.schema.fields[:-1]):
        own, name = column_named(field.name), f"_{number}"
        parts = _keys(own, field.dataType)
        if parts:
            keys += [part.alias(f"{name}_{index}") for index, part in enumerate(parts)]
            values.append(f.any_value(own).alias(name))
        else:
            keys.append(own.alias(name))
        columns.append(f.col(name).alias(field.name))
    summed = weighted.groupBy(*keys).agg(*values, f.sum(WEIGHT).alias(WEIGHT))
    return summed.where(f.col(WEIGHT) != 0).select(*columns, WEIGHT)


def weighted(frame: DataFrame, names: Sequence[str], weight: Column | int) -> DataFrame:
    """Some columns of a frame, and a weight."""
    from pyspark.sql import functions as f

    given = f.lit(weight) if isinstance(weight, int) else weight
    columns = [column_named(name).alias(name) for name in names]
    return frame.select(*columns, given.cast("bigint").alias(WEIGHT))


def column_named(name: str) -> Column:
    """A column by its name, whatever letters that has."""
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def _keys(column: Column, kind: DataType) -> list[Column]:
    """What stands for a column in a group key, where it cannot do so itself."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import VariantType

    if any(isinstance(part, VariantType) for part in _types(kind)):
        variant = column if isinstance(kind, VariantType) else f.to_variant_object(column)
        return [f.to_json(variant), f.schema_of_variant(variant)]
    return []


def _types(kind: DataType) -> Iterator[DataType]:
    """A type and those inside it."""
    yield kind
    for part in ("elementType", "keyType", "valueType"):
        if hasattr(kind, part):
            yield from _types(getattr(kind, part))
    for field in getattr(kind, "fields", ()):
        yield from _types(field.dataType)
