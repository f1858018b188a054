"""Versions of a Delta table as bags in Python, and the Spark jobs that something takes."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession


def bag(frame: DataFrame) -> Counter[Any]:
    """The rows of a frame, counted."""
    return Counter(tuple(map(plain, row)) for row in frame.collect())


def weights(frame: DataFrame) -> Counter[Any]:
    """The rows of a consolidated change, with their weights."""
    rows = [tuple(map(plain, row)) for row in frame.collect()]
    found = Counter({row[:-1]: row[-1] for row in rows})
    assert len(found) == len(rows), "a row comes twice"
    assert all(found.values()), "a weight is 0"
    return found


def difference(
    spark: SparkSession, path: str, start: int, end: int, names: Sequence[str]
) -> Counter[Any]:
    """The rows of one version less those of another, by Delta's time travel and Python's counting."""
    old, new = (
        bag(spark.sql(f"SELECT {', '.join(names)} FROM delta.`{path}` VERSION AS OF {version}"))
        for version in (start, end)
    )
    new.subtract(old)
    return Counter({row: weight for row, weight in new.items() if weight})


def plain(value: Any) -> Any:
    """A value that Python compares as Spark groups."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return frozenset((key, plain(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    return (value.toJson(), bytes(value.value)) if hasattr(value, "toJson") else value


def jobs(spark: SparkSession, action: Callable[[], object]) -> int:
    """How many Spark jobs an action takes."""
    group = str(uuid4())
    spark.sparkContext.setJobGroup(group, group)
    action()
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))
