"""Rows taken away by their places in files: no file is written anew.

Delta Lake keeps, beside a file, which of its rows are gone (a deletion vector). Where the rows to take away are few,
their places are looked up, on the driver where the files are plain and near, else by a join; the vectors then travel in
the commit itself, together with the new files.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.types import LongType, StructField, StructType

from streamtables.errors import NegativeCount
from streamtables.plan.expr import Expr, all_of, col
from streamtables.spark import places, vectors
from streamtables.spark.bitmaps import Numbers
from streamtables.spark.places import FILE, NUMBER, ROW
from streamtables.spark.reading import read_version
from streamtables.spark.relations import distinct_literals
from streamtables.sql.literals import among

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.log import DeltaLog
    from streamtables.spark.stamp import Stamp

# Columns whose values go into the look for the rows as literals: those that differ most.
_LISTED_COLUMNS = 2

Places = dict[str, Numbers]
"""Row numbers by the path of their file."""


def can_hide_rows(log: DeltaLog) -> bool:
    """Whether the table keeps deletion vectors."""
    return log.metadata().properties.get("delta.enableDeletionVectors") == "true"


def find(spark: SparkSession, log: DeltaLog, version: int, rows: pa.Table) -> pa.Table:
    """Where rows of a version are that equal (`<=>`) the given ones in their columns: number from 0, file, row."""
    files = log.files(version)
    here = places.find(log, log.metadata(version), files, rows)
    if here is not None:
        return here
    found = _joined(spark, log, version, rows)
    by_name = {path.rpartition("/")[2]: path for path in files}
    paths = pa.array([by_name[file] for file in found.column(FILE).to_pylist()], pa.string())
    return found.set_column(found.column_names.index(FILE), FILE, paths)


def _joined(spark: SparkSession, log: DeltaLog, version: int, rows: pa.Table) -> pa.Table:
    numbered = rows.append_column(NUMBER, pa.array(range(rows.num_rows), pa.int64()))
    schema = read_version(spark, log, version)
    fields = [field for field in schema.schema.fields if field.name in rows.column_names]
    by_name = {field.name: field for field in fields}
    kinds = StructType(
        [by_name[name] for name in rows.column_names] + [StructField(NUMBER, LongType())]
    )
    wanted: Any = spark.createDataFrame(numbered, schema=kinds)
    names = [str(col(name)) for name in rows.column_names]
    table = schema.selectExpr(
        *names, f"_metadata.file_name AS {FILE}", f"_metadata.row_index AS {ROW}"
    )
    if near := all_of(_near(rows)):
        table = table.where(str(near))
    same = [f.col(f"t.{name}").eqNullSafe(f.col(f"w.{name}")) for name in names]
    both = table.alias("t").join(f.broadcast(wanted.alias("w")), reduce(and_, same, f.lit(True)))
    found: pa.Table = both.select(NUMBER, FILE, ROW).toArrow()
    return found


def _near(rows: pa.Table) -> list[Expr]:
    """Conditions by which files and pages are passed over."""
    listed = ((name, distinct_literals(rows.column(name))) for name in rows.column_names)
    known = [(name, values) for name, values in listed if values]
    best = sorted(known, key=lambda pair: -len(pair[1]))[:_LISTED_COLUMNS]
    return [among(name, values) for name, values in best]


def chosen(found: pa.Table, wanted: Numbers, name: object) -> Places:
    """The places of as many copies of each row as go, which `wanted` has by the row's number.

    Raises:
        NegativeCount: fewer copies are there than have to go.
    """
    found = found.sort_by(NUMBER)
    numbers = found.column(NUMBER).to_numpy()
    counts = np.bincount(numbers, minlength=len(wanted))
    if missing := int(np.maximum(wanted - counts, 0).sum()):
        raise NegativeCount(
            f"The change takes away {missing} rows that {name} does not hold",
            hint="Nothing was written. Refresh it in full, and please report this query.",
        )
    copy = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
    taken = found.filter(pa.array(copy < wanted[numbers])).group_by(FILE)
    files = taken.aggregate([(ROW, "list")]).to_batches()
    return {
        file.as_py(): np.sort(rows.values.to_numpy())
        for part in files
        for file, rows in zip(part.column(FILE), part.column(f"{ROW}_list"), strict=True)
    }


def write(
    spark: SparkSession,
    log: DeltaLog,
    version: int,
    hidden: Places,
    coming: DataFrame | list[Mapping[str, Any]] | None,
    stamp: Stamp,
) -> int:
    """Hide rows, by their places in a version, and add others in one commit; gives the version it makes."""
    made = vectors.commit_rows(spark, log, version, hidden, coming, stamp)
    if made is None:
        raise stamp.lost()
    return made
