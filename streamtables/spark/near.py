"""Rows that have touched keys, read on the driver from the few files that can hold them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import StructField, StructType

from streamtables.plan import nodes as n
from streamtables.spark.places import all_rows, rows_near, rows_with_keys
from streamtables.spark.relations import here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from streamtables.spark.log import DeltaLog
    from streamtables.spark.narrowed import Table
    from streamtables.spark.relations import Relation

# Of rows near touched keys so many values are read; of more Spark has to read all.
READ_VALUES = 4_000_000
# Tables of so few rows are read from end to end.
SMALL_ROWS = 20_000


def near(
    spark: SparkSession,
    plan: n.Node,
    relations: Mapping[str, Relation],
    stored: DeltaLog | None,
    state: DeltaLog | None,
) -> Relation | None:
    """The answer of `stored ↾ K` or `state ↾ K`; None for any other plan, and where Spark has to read."""
    if not isinstance(plan, n.Restrict) or not isinstance(plan.child, (n.Stored, n.State)):
        return None
    keys = relations[plan.keys.name].local
    log = stored if isinstance(plan.child, n.Stored) else state
    if keys is None or log is None:
        return None
    fields = plan.child.fields if isinstance(plan.child, n.Stored) else plan.child.names
    named = dict(zip(plan.columns, fields, strict=True))
    wanted = keys.rename_columns([named[name] for name in plan.on])
    version = log.latest()
    rows = rows_with_keys(log, version, fields, wanted, is_rough=plan.is_rough)
    return None if rows is None else _read(spark, log, version, rows, plan.columns)


def near_in(
    spark: SparkSession, table: Table, log: DeltaLog, version: int, name: str, keys: pa.ChunkedArray
) -> Relation | None:
    """The rows of a table that have one of the keys in a column; None where Spark has to read."""
    if pa.types.is_floating(keys.type):
        return None
    column = dict(zip(table.names, table.fields, strict=True))[name]
    wanted = pa.chunked_array([keys.unique()])
    most = READ_VALUES // len(table.fields)
    rows = rows_near(log, version, table.fields, column, wanted, most)
    if rows is None or rows.column(column).type != keys.type:
        return None
    return _read(spark, log, version, rows, table.names)


def all_of(spark: SparkSession, table: Table, log: DeltaLog, version: int) -> Relation | None:
    """All rows of a table, if they are few; None where Spark has to read."""
    rows = all_rows(log, version, table.fields, SMALL_ROWS)
    return None if rows is None else _read(spark, log, version, rows, table.names)


def _read(
    spark: SparkSession, log: DeltaLog, version: int, rows: pa.Table, names: Sequence[str]
) -> Relation:
    """Rows of a table under the names of a plan, with the types that Spark knows them by."""
    fields = StructType.fromJson(json.loads(log.metadata(version).schema)).fields
    kinds = {field.name.lower(): field.dataType for field in fields}
    pairs = zip(names, rows.column_names, strict=True)
    schema = StructType([StructField(name, kinds[field.lower()]) for name, field in pairs])
    return here(spark, rows.rename_columns(list(names)), schema)
