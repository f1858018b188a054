"""The moment of a refresh as a relation of one row, and its change between two refreshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.nodes import WEIGHT
from streamtables.sql.clock import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import Position, Window


def clock_at(spark: SparkSession, position: Position) -> DataFrame:
    """The clock at a moment, in the session's time zone."""
    moment = f"timestamp_micros({position.version})"
    items = ", ".join(f"CAST({moment} AS {column.type}) AS {column.name}" for column in COLUMNS)
    return spark.sql(f"SELECT {items}")


def clock_change(spark: SparkSession, window: Window, columns: Sequence[str]) -> DataFrame:
    """What the clock says now and no longer says, as far as a query reads it."""
    signed = []
    for sign, position in ((1, window.until), (-1, window.since)):
        row = clock_at(spark, position).select(*columns).collect()[0]
        signed.append((*row, sign))
    changed = signed if signed[0][:-1] != signed[1][:-1] else []
    types = {column.name: column.type for column in COLUMNS}
    fields = ", ".join(f"`{name}` {types[name]}" for name in columns)
    return spark.createDataFrame(changed, f"{fields}, `{WEIGHT}` bigint")
