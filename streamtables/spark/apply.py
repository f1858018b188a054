"""A change written to a Delta table: one commit that carries the rows, the transaction and the frontier.

Rows to take away are taken away by *all* their copies, and those copies that stay are put back in the same commit:
Delta can tell equal rows apart only by rewriting their files. Where the rows to take away can be named by literals,
`replaceWhere` does both with three jobs; else a MERGE does.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from streamtables.model import TableName
from streamtables.plan.expr import Expr, all_of, always, any_of, col, same
from streamtables.sql.literals import among, literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.relations import Relation
    from streamtables.spark.stamp import Stamp

# Rows over several columns that are named by literals; more are merged.
LITERAL_ROWS = 200
_TRIES = 3
_IS_GONE, _MERGED = "_is_gone", "merged"
_LAST_COMMIT = "spark.databricks.delta.lastCommitVersionInSession"


@dataclass(frozen=True)
class Rewrite:
    """Rows to take away, by the columns that name them, and rows to put in; in the target's columns."""

    gone: Relation
    coming: DataFrame


def write(spark: SparkSession, path: str, rewrite: Rewrite, stamp: Stamp) -> int:
    """Write a rewrite in one commit; gives its version. The session must be this refresh's own."""
    gone, coming = rewrite.gone, rewrite.coming
    if condition := _literal_condition(gone):
        where = str(condition)
        return _committed(spark, stamp, lambda: _replace(coming, path, replaceWhere=where))
    return _committed(spark, stamp, lambda: _merge(spark, path, gone, coming))


def overwrite(spark: SparkSession, path: str, answer: DataFrame, stamp: Stamp) -> int:
    """Replace all rows in one commit; gives its version."""
    return _committed(spark, stamp, lambda: _replace(answer, path))


def _committed(spark: SparkSession, stamp: Stamp, save: Callable[[], None]) -> int:
    """Save, again if a commit of somebody else came between: Delta skips it if that was this very refresh."""
    mark_session(spark, stamp)

    def saved() -> int:
        save()
        return committed_version(spark, stamp)

    return again_on_conflict(saved)


def again_on_conflict(commit: Callable[[], int]) -> int:
    """Try a commit again where one of somebody else came between."""
    from delta import exceptions as of_delta

    conflicts = (
        of_delta.ConcurrentAppendException,
        of_delta.ConcurrentDeleteDeleteException,
        of_delta.ConcurrentDeleteReadException,
        of_delta.ConcurrentTransactionException,
        of_delta.ConcurrentWriteException,
        of_delta.MetadataChangedException,
    )
    for _ in range(_TRIES - 1):
        with suppress(*conflicts):
            return commit()
    return commit()


def mark_session(spark: SparkSession, stamp: Stamp) -> None:
    """Let every write of a session carry the stamp. Such a session must write once and be forgotten."""
    spark.conf.set("spark.databricks.delta.write.txnAppId", stamp.app_id)
    spark.conf.set("spark.databricks.delta.write.txnVersion", str(stamp.number))
    spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", stamp.metadata)
    spark.conf.set("spark.databricks.delta.replaceWhere.constraintCheck.enabled", "false")
    spark.conf.unset(_LAST_COMMIT)


def committed_version(spark: SparkSession, stamp: Stamp) -> int:
    """The version that the session committed; Delta skips, in silence, a transaction that it has seen."""
    version = spark.conf.get(_LAST_COMMIT, None)
    if version is None:
        raise stamp.lost()
    return int(version)


def _replace(frame: DataFrame, path: str, **options: str) -> None:
    frame.write.format("delta").mode("overwrite").options(**options).save(path)


def _literal_condition(gone: Relation) -> Expr | None:
    """The rows to take away as a condition of literals, or None where there are too many or they have none."""
    if gone.local is None:
        return None
    columns = gone.local.column_names
    if len(columns) == 1:
        values = gone.values(columns[0])
        return among(columns[0], values) if values is not None else None
    if not columns:
        return always()
    if gone.row_count > LITERAL_ROWS:
        return None
    try:
        rows = [_same_row(row) for row in gone.local.to_pylist()]
    except (OverflowError, ValueError):  # a moment that Python has no value for, such as year 10000
        return None
    exact = [row for row in rows if row is not None]
    return all_of([any_of(exact), *_nearby(gone)]) if len(exact) == len(rows) else None


def _same_row(row: dict[str, object]) -> Expr | None:
    pairs = [(col(name), literal(value)) for name, value in row.items()]
    return (
        all_of(same(name, value) for name, value in pairs if value)
        if all(v for _, v in pairs)
        else None
    )


def _nearby(gone: Relation) -> list[Expr]:
    """Per column, the values that the rows to take away have: what Delta prunes files by."""
    found = ((name, gone.values(name)) for name in gone.frame.columns)
    return [among(name, values) for name, values in found if values is not None]


def _merge(spark: SparkSession, path: str, gone: Relation, coming: DataFrame) -> None:
    """One MERGE: a row of `gone` meets all its copies and deletes them, a row of `coming` meets none."""
    marked = gone.frame.withColumn(_IS_GONE, f.lit(True)).unionByName(
        coming.withColumn(_IS_GONE, f.lit(False)), allowMissingColumns=True
    )
    marked.createOrReplaceTempView(_MERGED)
    equal = (f"t.{col(name)} <=> s.{col(name)}" for name in gone.frame.columns)
    near = (str(condition.qualified("t")) for condition in _nearby(gone))
    meets = " AND ".join((f"s.{_IS_GONE}", *equal, *near))
    names = [str(col(name)) for name in coming.columns]
    values = ", ".join(f"s.{name}" for name in names)
    parts = (
        f"MERGE INTO {TableName(('delta', path)).quoted} AS t USING {_MERGED} AS s ON {meets}",
        "WHEN MATCHED THEN DELETE",
        f"WHEN NOT MATCHED AND NOT s.{_IS_GONE} THEN INSERT ({', '.join(names)}) VALUES ({values})",  # noqa: S608 identifiers and literals
    )
    spark.sql(" ".join(parts))
