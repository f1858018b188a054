"""Deletion vectors read, and a commit that carries them: as a file where that will do, else by Delta's own classes."""

from __future__ import annotations

import json
import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from streamtables.spark import bitmaps, commit_file
from streamtables.spark.internals import (
    DELTA,
    java_actions,
    java_class,
    java_log,
    java_option,
    java_snapshot,
    write_file,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.bitmaps import Numbers
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.stamp import Stamp

# Where a deletion vector lies: in the log itself, or in a file in the table's folder.
_INLINE, _BESIDE = "i", "u"
# Longer ones lie beside, for Delta takes no text of more than 64 KB, and each commit to the file writes them anew.
MOST_INLINE = 8192
# So many of those in the log are kept decoded, each of some ten thousand bytes.
_INLINE_READ = 1024
# Within names and values of JSON a quotation mark is escaped.
_TIGHT = re.compile(r'(?<!\\)"tightBounds"\s*:\s*true')


def commit_rows(
    spark: SparkSession,
    target: DeltaLog,
    version: int,
    places: Mapping[str, Numbers],
    coming: DataFrame | list[Mapping[str, Any]] | None,
    stamp: Stamp,
) -> int | None:
    """One commit that hides rows of files (by path and row number) and adds rows; None if it was made before.

    The places are those in a version: whatever was committed since is Delta's to judge. What comes is a frame, or files
    that are written already. The new deletion vectors are part of the log: no file is written for them.
    """
    if stamp.is_in(target, version):
        return None
    held = target.files(version)
    actions = [action for path in places for action in _hiding(target, held[path], places[path])]
    rows = None if isinstance(coming, list) else coming
    if isinstance(coming, list):
        actions += ({"add": file} for file in coming)
    made = commit_file.written(target, version, actions, stamp) if rows is None else None
    return _commit(spark, target, version, actions, rows, stamp) if made is None else made


def _commit(
    spark: SparkSession,
    target: DeltaLog,
    version: int,
    actions: Sequence[Mapping[str, Any]],
    coming: DataFrame | None,
    stamp: Stamp,
) -> int:
    """The same by Delta's own transaction, with the rows of a frame besides."""
    path, option = target.path, java_option(spark)
    log = java_log(spark, path)
    to_seq = java_class(spark, "org.apache.spark.api.python.PythonUtils").toSeq
    txn = log.startTransaction(option.empty(), option.apply(java_snapshot(spark, path, version)))
    # As `txnVersion` does it, which would read the whole log: two commits of one application are a conflict.
    txn.readTxn().append(stamp.app_id)
    removes = [action["remove"] for action in actions if "remove" in action]
    adds = [action["add"] for action in actions if "add" in action]
    every = java_actions(spark, "RemoveFile", removes)
    every.addAll(java_actions(spark, "AddFile", adds))
    if coming is not None:
        as_java = java_class(spark, "scala.jdk.javaapi.CollectionConverters").asJava
        every.addAll(as_java(txn.writeFiles(coming._jdf)))
    now = java_class(spark, "java.lang.System").currentTimeMillis
    set_transaction = java_class(spark, f"{DELTA}.actions.SetTransaction")
    every.add(set_transaction(stamp.app_id, stamp.number, option.apply(now())))
    nothing = option.empty()
    modes = java_class(spark, "org.apache.spark.sql.SaveMode")
    write = java_class(spark, f"{DELTA}.DeltaOperations$Write")
    operation = write(
        modes.Overwrite if removes else modes.Append,
        *(nothing, nothing, option.apply(stamp.metadata), *[nothing] * 5),
    )
    return int(txn.commit(to_seq(every), operation))


def hidden_rows(log: DeltaLog, vector: Mapping[str, Any]) -> Numbers:
    """The numbers of the rows that a deletion vector, as the log has it, hides."""
    kind = vector["storageType"]
    if kind == _INLINE:
        return _held_inline(vector["pathOrInlineDv"], int(vector["sizeInBytes"]))
    if kind == _BESIDE and log.folder is not None:
        return bitmaps.decoded(bitmaps.in_folder(vector, log.folder))
    return bitmaps.decoded(_loaded(log, vector))


@lru_cache(maxsize=_INLINE_READ)
def _held_inline(text: str, size: int) -> Numbers:
    """The rows of a vector in the log: a refresh asks for those of a file when it reads, finds and hides rows."""
    rows = bitmaps.decoded(bitmaps.inline(text, size))
    rows.flags.writeable = False
    return rows


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


def _hiding(log: DeltaLog, file: Mapping[str, Any], rows: Numbers) -> Sequence[Mapping[str, Any]]:
    """The actions that take rows of a file away, which the log has as `file`."""
    vector, statistics = file.get("deletionVector"), file.get("stats")
    before = hidden_rows(log, vector) if vector else bitmaps.NONE
    hidden = bitmaps.ascending(np.concatenate([rows, before]))
    kept = {key: value for key, value in file.items() if value is not None}
    told = ("path", "partitionValues", "size", "tags", "deletionVector", "stats")
    gone = {
        **{key: kept[key] for key in told if key in kept},
        "deletionTimestamp": int(time.time() * 1000),
        "dataChange": True,
        "extendedFileMetadata": True,
    }
    if json.loads(statistics or "{}").get("numRecords") == len(hidden):
        return ({"remove": gone},)
    kept |= {"dataChange": True, "deletionVector": _written(log, hidden)}
    if statistics:
        kept["stats"] = _loosened(statistics)
    return ({"remove": gone}, {"add": kept})


def _written(log: DeltaLog, hidden: Numbers) -> dict[str, Any]:
    """A new vector as the log is to have it: in the log itself, or in a file in the table's folder if it is long."""
    content = bitmaps.encoded(hidden)
    told = {"sizeInBytes": len(content), "cardinality": len(hidden)}
    if len(content) <= MOST_INLINE:
        text = bitmaps.as_text(content)
        return {"storageType": _INLINE, "pathOrInlineDv": text, **told}
    number = uuid4()
    name, stored = bitmaps.stored(number, content)
    if log.folder is not None:
        (log.folder / name).write_bytes(stored)
    else:
        write_file(log.spark, log.path, name, stored)
    text = bitmaps.as_text(number.bytes)
    return {"storageType": _BESIDE, "pathOrInlineDv": text, "offset": 1, **told}


def _loosened(statistics: str) -> str:
    """Statistics whose ends no row need have any more; edited as text, for numbers are as exact as they are written."""
    told, count = _TIGHT.subn('"tightBounds":false', statistics)
    if count or '"tightBounds"' in statistics:
        return told
    return f'{statistics.rstrip()[:-1]},"tightBounds":false}}'
