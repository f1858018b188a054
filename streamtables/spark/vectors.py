"""Deletion vectors read and written through Delta's own classes, and a commit that carries them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from streamtables.spark import bitmaps
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

# Where a deletion vector lies: in the log itself, or in a file in the table's folder.
_INLINE, _BESIDE = "i", "u"


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
    held, actions = target.files(version), java_list()
    files = [held[path] for path in places]
    for file, java in zip(files, java_actions(spark, "AddFile", files), strict=True):
        for action in _hiding(target, file, java, places[file["path"]]):
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


def hidden_rows(log: DeltaLog, vector: Mapping[str, Any]) -> set[int]:
    """The numbers of the rows that a deletion vector, as the log has it, hides."""
    kind = vector["storageType"]
    if kind == _INLINE:
        return bitmaps.decoded(bitmaps.inline(vector))
    if kind == _BESIDE and log.folder is not None:
        return bitmaps.decoded(bitmaps.in_folder(vector, log.folder))
    return bitmaps.decoded(_loaded(log, vector))


def _loaded(log: DeltaLog, vector: Mapping[str, Any]) -> bytes:
    """The bytes of a vector that lies anywhere."""
    spark = log.spark
    mapper = java_class(spark, f"{DELTA}.util.JsonUtils").mapper()
    find = java_class(spark, "java.lang.Class").forName
    loader = java_class(spark, "java.lang.Thread").currentThread().getContextClassLoader()
    kind = find(f"{DELTA}.actions.DeletionVectorDescriptor", True, loader)
    java = java_log(spark, log.path)
    stored = java_class(spark, f"{DELTA}.deletionvectors.StoredBitmap").create(
        mapper.readValue(json.dumps(dict(vector)), kind), java.dataPath()
    )
    store = java_class(spark, f"{DELTA}.storage.dv.HadoopFileSystemDVStore")
    portable = java_class(spark, f"{DELTA}.deletionvectors.RoaringBitmapArrayFormat").Portable()
    bitmap = stored.load(store(java.newDeltaHadoopConf()))
    return bytes(bitmap.serializeAsByteArray(portable))


def _hiding(
    log: DeltaLog, file: Mapping[str, Any], java: Any, rows: Sequence[int]
) -> Sequence[Any]:
    """The actions that take rows of a file away, which the log has as `file` and Delta as `java`."""
    vector = file.get("deletionVector")
    hidden = {*rows, *(hidden_rows(log, vector) if vector else ())}
    made = java_class(log.spark, f"{DELTA}.actions.DeletionVectorDescriptor").inlineInLog(
        bitmaps.encoded(hidden), len(hidden)
    )
    both = java.removeRows(made, True, True)
    total = java.numPhysicalRecords()
    if total.isDefined() and int(total.get()) == len(hidden):
        return (both._2(),)
    return (both._1(), both._2())
