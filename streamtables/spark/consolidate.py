"""Weighted rows: equal rows as one, with the sum of their weights.

Expressions go to Spark as text: a call per column and function is a round trip to the JVM each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

WEIGHT = "_weight"


def consolidated(weighted: DataFrame) -> DataFrame:
    """Each row once, with a weight that is not 0; equal is what `GROUP BY` takes for equal.

    Variants do not group; they are equal here where their text and its types are.
    """
    from pyspark.sql import functions as f

    inner, keys, outer = [WEIGHT], [], []
    sums = [f.expr(f"sum({WEIGHT}) AS {WEIGHT}")]
    for number, field in enumerate(weighted.schema.fields[:-1]):
        own, name = _quoted(field.name), f"_{number}"
        parts = _keys(own, field.dataType)
        inner += [f"{own} AS {name}", *(f"{part} AS {name}_{i}" for i, part in enumerate(parts))]
        keys += [f"{name}_{i}" for i in range(len(parts))] or [name]
        sums += [f.expr(f"any_value({name}) AS {name}")] if parts else []
        outer.append(f"{name} AS {own}")
    summed = weighted.selectExpr(*inner).groupBy(*keys).agg(*sums)
    return summed.where(f"{WEIGHT} <> 0").selectExpr(*outer, WEIGHT)


def weighted(frame: DataFrame, names: Sequence[str], weight: str | int) -> DataFrame:
    """Some columns of a frame, and a weight: a number, or SQL that gives one."""
    columns = [f"{_quoted(name)} AS {_quoted(name)}" for name in names]
    return frame.selectExpr(*columns, f"CAST({weight} AS BIGINT) AS {WEIGHT}")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _keys(column: str, kind: DataType) -> list[str]:
    """What stands for a column in a group key, where it cannot do so itself."""
    from pyspark.sql.types import VariantType

    if any(isinstance(part, VariantType) for part in _types(kind)):
        variant = column if isinstance(kind, VariantType) else f"to_variant_object({column})"
        return [f"to_json({variant})", f"schema_of_variant({variant})"]
    return []


def _types(kind: DataType) -> Iterator[DataType]:
    """A type and those inside it."""
    yield kind
    for part in ("elementType", "keyType", "valueType"):
        if hasattr(kind, part):
            yield from _types(getattr(kind, part))
    for field in getattr(kind, "fields", ()):
        yield from _types(field.dataType)
