"""Deletion vectors read and written through Delta's own classes, and a commit that carries them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from streamtables.spark.internals import (
    DELTA,
    java_actions,
    java_class,
    java_log,
    java_option,
    java_snapshot,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.log import DeltaLog
    from streamtables.spark.stamp import Stamp


def commit_rows(
    spark: SparkSession,
    target: DeltaLog,
    version: int,
    places: Mapping[str, Sequence[int]],
    coming: DataFrame | list[Mapping[str, Any]] | None,
    stamp: Stamp,
) -> int | None:
    """One commit that hides rows of files (by path and row number) and adds rows; None if it was made before.

    The places are those in a version: whatever was committed since is Delta's to judge. What comes is a frame, or files
    that are written already. The new deletion vectors are part of the log: no file is written for them.
    """
    if stamp.is_in(target, version):
        return None
    path, option = target.path, java_option(spark)
    log = java_log(spark, path)
    java_list = java_class(spark, "java.util.ArrayList")
    to_seq = java_class(spark, "org.apache.spark.api.python.PythonUtils").toSeq
    txn = log.startTransaction(option.empty(), option.apply(java_snapshot(spark, path, version)))
    # As `txnVersion` does it, which would read the whole log: two commits of one application are a conflict.
    txn.readTxn().append(stamp.app_id)
    files = target.files(version)
    actions = java_list()
    for file in java_actions(spark, "AddFile", [files[path] for path in places]):
        for action in _hidden(spark, log, file, places[file.path()]):
            actions.add(action)
    if isinstance(coming, list):
        actions.addAll(java_actions(spark, "AddFile", coming))
    elif coming is not None:
        written = txn.writeFiles(coming._jdf)
        actions.addAll(java_class(spark, "scala.jdk.javaapi.CollectionConverters").asJava(written))
    now = java_class(spark, "java.lang.System").currentTimeMillis
    set_transaction = java_class(spark, f"{DELTA}.actions.SetTransaction")
    actions.add(set_transaction(stamp.app_id, stamp.number, option.apply(now())))
    nothing = option.empty()
    modes = java_class(spark, "org.apache.spark.sql.SaveMode")
    write = java_class(spark, f"{DELTA}.DeltaOperations$Write")
    operation = write(
        modes.Overwrite if places else modes.Append,
        *(nothing, nothing, option.apply(stamp.metadata), *[nothing] * 5),
    )
    return int(txn.commit(to_seq(actions), operation))


def hidden_rows(spark: SparkSession, path: str, vector: Mapping[str, Any]) -> set[int]:
    """The numbers of the rows that a deletion vector, as the log has it, hides."""
    mapper = java_class(spark, f"{DELTA}.util.JsonUtils").mapper()
    find = java_class(spark, "java.lang.Class").forName
    loader = java_class(spark, "java.lang.Thread").currentThread().getContextClassLoader()
    kind = find(f"{DELTA}.actions.DeletionVectorDescriptor", True, loader)
    log = java_log(spark, path)
    bitmap = _loaded(spark, log, mapper.readValue(json.dumps(dict(vector)), kind))
    # One text instead of a call per row.
    text = bitmap.mkString("", ",", "")
    return {int(row) for row in text.split(",") if row}


def _loaded(spark: SparkSession, log: Any, vector: Any) -> Any:
    """The set of row numbers of a deletion vector."""
    stored = java_class(spark, f"{DELTA}.deletionvectors.StoredBitmap").create(
        vector, log.dataPath()
    )
    store = java_class(spark, f"{DELTA}.storage.dv.HadoopFileSystemDVStore")
    return stored.load(store(log.newDeltaHadoopConf()))


def _hidden(spark: SparkSession, log: Any, file: Any, rows: Sequence[int]) -> Sequence[Any]:
    """The actions that take rows of a file away."""
    bitmap = _bitmap(spark, rows)
    vector = file.deletionVector()
    if vector is not None:
        bitmap.merge(_loaded(spark, log, vector))
    count = bitmap.cardinality()
    portable = java_class(spark, f"{DELTA}.deletionvectors.RoaringBitmapArrayFormat").Portable()
    content = bitmap.serializeAsByteArray(portable)
    made = java_class(spark, f"{DELTA}.actions.DeletionVectorDescriptor").inlineInLog(
        content, count
    )
    both = file.removeRows(made, True, True)
    total = file.numPhysicalRecords()
    if total.isDefined() and int(total.get()) == int(count):
        return (both._2(),)
    return (both._1(), both._2())


def _bitmap(spark: SparkSession, rows: Sequence[int]) -> Any:
    """Delta's set of row numbers, carried to the JVM in one call."""
    find = java_class(spark, "java.lang.Class").forName
    mapper = java_class(spark, f"{DELTA}.util.JsonUtils").mapper()
    kind = mapper.getTypeFactory().constructCollectionType(
        find("java.util.ArrayList"), find("java.lang.Long")
    )
    values = mapper.readValue(json.dumps(list(rows)), kind)
    to_seq = java_class(spark, "org.apache.spark.api.python.PythonUtils").toSeq
    return java_class(spark, f"{DELTA}.deletionvectors.RoaringBitmapArray").apply(to_seq(values))
