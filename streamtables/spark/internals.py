"""Delta's own classes, reached through py4j: besides vectors.py the only module that names them.

Everything here relies on internals of Delta 4.4; tests/spark/test_log.py and test_changes.py hold
Delta to what each function says it relies on.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamtables.spark.actions import Break, SourceBroken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import TableName

DELTA = "org.apache.spark.sql.delta"


# What Delta says where it cannot make up a version from its log.
_LOST = (
    "DELTA_VERSIONS_NOT_CONTIGUOUS",
    "DELTA_TRUNCATED_TRANSACTION_LOG",
    "Trying to load a non-existent version",
)


def java_log(spark: SparkSession, path: str) -> Any:
    """Delta's `DeltaLog` of a path, from Delta's cache, where `DROP TABLE` removes it."""
    with _lost_versions():
        return java_class(spark, f"{DELTA}.DeltaLog").forTable(java_session(spark), path)


def java_snapshot(spark: SparkSession, path: str, version: int | None) -> Any:
    """The newest `Snapshot` (`update` lists the log's end, no job), or that of a version."""
    nothing = java_option(spark).empty()
    java = java_log(spark, path)
    with _lost_versions():
        newest = java.update(False, nothing, nothing)
        if version is None or newest.version() == version:
            return newest
        return java.getSnapshotAt(version, nothing, nothing, False)


def commit_texts(spark: SparkSession, path: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The commits of `start` to `end`, those not yet published in the log folder with them.

    `getChangeLogFiles` passes over missing versions in silence: whoever asks must count.
    """
    log = java_log(spark, path)
    configuration = log.newDeltaHadoopConf()
    with _lost_versions():
        found = log.getChangeLogFiles(start, end, java_option(spark).empty(), False)
        while found.hasNext():
            commit = found.next()
            yield int(commit._1()), log.store().read(commit._2(), configuration).mkString("\n")


def delta_path(spark: SparkSession, name: TableName) -> str | None:
    """Where a catalog keeps a Delta table; None for a view or a table of another kind."""
    try:
        found = java_class(spark, "io.delta.tables.DeltaTable").forName(
            java_session(spark), name.quoted
        )
    except Exception as error:
        if "DELTA_MISSING_DELTA_TABLE" in str(error) or "DELTA_TABLE_ONLY_OPERATION" in str(error):
            return None
        raise
    return str(found.deltaLog().dataPath().toString())


def file_exists(spark: SparkSession, path: str, file: str) -> bool:
    """Whether a file that the log names, from the table's folder or in full, is there."""
    log = java_log(spark, path)
    hadoop_path = java_class(spark, "org.apache.hadoop.fs.Path")
    full = hadoop_path(log.dataPath(), hadoop_path(java_class(spark, "java.net.URI")(file)))
    return bool(full.getFileSystem(log.newDeltaHadoopConf()).exists(full))


def write_file(spark: SparkSession, path: str, file: str, content: bytes) -> None:
    """Put a new file into the folder of a table, wherever it lies."""
    log = java_log(spark, path)
    full = java_class(spark, "org.apache.hadoop.fs.Path")(log.dataPath(), file)
    stream = full.getFileSystem(log.newDeltaHadoopConf()).create(full, False)
    try:
        stream.write(content)
    finally:
        stream.close()


def change_frame(
    spark: SparkSession,
    snapshot: Any,
    actions: Mapping[str, Sequence[Mapping[str, Any]]],
) -> DataFrame:
    """The rows of file actions with their `_change_type`, under the schema of a snapshot.

    `CDCReader.changesToDF` takes the actions of made-up commits as well: of a path that is added
    and removed at once it reads the rows between the two deletion vectors only. A path may come
    once on each side. It looks neither at metadata nor at gaps: whoever asks must.
    """
    from pyspark.sql import DataFrame

    to_seq = java_class(spark, "org.apache.spark.api.python.PythonUtils").toSeq
    array_list = java_class(spark, "java.util.ArrayList")
    every, made_up = array_list(), array_list()
    for kind, items in actions.items():
        every.addAll(java_actions(spark, kind, items))
    made_up.add(to_seq(every))
    version = snapshot.version()
    # Zipped inside the JVM, because a small number from Python would arrive there as an Integer.
    versions = java_class(spark, "java.util.stream.LongStream").of(version).boxed().toList()
    found = java_class(spark, f"{DELTA}.commands.cdc.CDCReader").changesToDF(
        snapshot,
        version,
        version,
        to_seq(versions).zip(to_seq(made_up)).iterator(),
        java_session(spark),
        java_option(spark).empty(),
        False,
        "AddCDCFile" not in actions,
        java_option(spark).apply(snapshot),
    )
    return DataFrame(found.fileChangeDf(), spark)


def files_frame(
    spark: SparkSession, snapshot: Any, files: Iterable[Mapping[str, Any]]
) -> DataFrame:
    """The rows of files of a table, less those hidden, under the schema of a snapshot."""
    from pyspark.sql import DataFrame

    # Delta makes the frame in the active session.
    session = java_class(spark, "org.apache.spark.sql.classic.SparkSession")
    session.setActiveSession(java_session(spark))
    to_seq = java_class(spark, "org.apache.spark.api.python.PythonUtils").toSeq
    actions = to_seq(java_actions(spark, "AddFile", list(files)))
    nothing = java_option(spark).empty()
    return DataFrame(snapshot.deltaLog().createDataFrame(snapshot, actions, False, nothing), spark)


def files_of(spark: SparkSession, snapshot: Any) -> dict[str, Mapping[str, Any]]:
    """The files of a version by path, as the log has them: written by Delta's own JSON writer in one call."""
    mapper = java_class(spark, f"{DELTA}.util.JsonUtils").mapper()
    found = json.loads(mapper.writeValueAsString(snapshot.allFiles().collectAsList()))
    return {file["path"]: file for file in found}


def java_actions(spark: SparkSession, kind: str, items: Sequence[Mapping[str, Any]]) -> Any:
    """Delta's values of file actions, read by its own JSON reader in one call."""
    find = java_class(spark, "java.lang.Class").forName
    loader = java_class(spark, "java.lang.Thread").currentThread().getContextClassLoader()
    mapper = java_class(spark, f"{DELTA}.util.JsonUtils").mapper()
    element = find(f"{DELTA}.actions.{kind}", True, loader)
    several = mapper.getTypeFactory().constructCollectionType(find("java.util.ArrayList"), element)
    return mapper.readValue(json.dumps(list(items)), several)


@contextmanager
def _lost_versions() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        text = str(getattr(error, "java_exception", error))
        if any(sign in text for sign in _LOST):
            raise SourceBroken(Break.VERSIONS_MISSING, text.partition("\n")[0]) from error
        raise


def java_session(spark: SparkSession) -> Any:
    """The session as the JVM has it."""
    inside: Any = spark
    return inside._jsparkSession


def java_class(spark: SparkSession, name: str) -> Any:
    """A Java class by its full name; by its packages py4j would ask the JVM about each part."""
    from py4j.java_gateway import JavaClass

    return JavaClass(name, java_session(spark)._gateway_client)


def java_option(spark: SparkSession) -> Any:
    """Scala's Option."""
    return java_class(spark, "scala.Option")
