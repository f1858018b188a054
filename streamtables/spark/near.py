"""Stored rows that have touched keys, read on the driver from the few files that can hold them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField, StructType

from streamtables.plan import nodes as n
from streamtables.spark.places import rows_with_keys
from streamtables.spark.relations import here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation


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
    metadata = log.metadata()
    rows = rows_with_keys(log, metadata, fields, wanted)
    if rows is None:
        return None
    kinds = {field.name: field for field in StructType.fromJson(json.loads(metadata.schema))}
    schema = StructType([StructField(name, kinds[field].dataType) for name, field in named.items()])
    rows = rows.rename_columns(list(plan.columns))
    return here(spark, rows, schema)
