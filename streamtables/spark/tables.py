"""The tables of the session's catalog, by name."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from streamtables.errors import InvalidName, UnknownTable, first_line, nearest
from streamtables.model import TableName
from streamtables.spark.internals import java_class, java_option
from streamtables.spark.log import DeltaLog

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

_DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
_PATH_TABLE = "delta"  # delta.`/folder` is the Delta table in a folder


class Tables:
    """Finds logs of tables, and keeps them while the catalog says that they lie where they lay."""

    log_type = DeltaLog

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._logs: dict[str, DeltaLog] = {}
        self._identifiers: dict[TableName, Any] = {}

    def resolve(self, name: TableName) -> TableName:
        """The name with its schema, as the session sees it now."""
        if len(name.parts) > 1:
            return name
        if self._is_temporary(name):
            raise UnknownTable(
                f"{name} is a temporary view, which only this session knows",
                hint="Read the tables behind it, or make it a table.",
            )
        return TableName((str(self._spark.catalog.currentDatabase()), *name.parts))

    def log(self, name: TableName) -> DeltaLog | None:
        """The log of a Delta table; None for a table or view of another kind."""
        if len(name.parts) == 2 and name.parts[0].lower() == _PATH_TABLE:
            return self._at(name.parts[1])
        location = self._location(name)
        if location:
            return self._at(location)
        if not self.exists(name):
            raise UnknownTable(f"There is no table {name}", hint=self._nearest(name))
        return self._elsewhere(name)

    def exists(self, name: TableName) -> bool:
        """Whether the session's catalog has a table or view of that name."""
        from pyspark.errors import AnalysisException

        try:
            return bool(self._spark.catalog.tableExists(name.quoted))
        except AnalysisException as error:
            if error.getCondition() == "DELTA_PATH_DOES_NOT_EXIST":
                self._forget(name)
                return False
            raise _invalid(name, first_line(error)) from None

    def _nearest(self, name: TableName) -> str:
        """A hint at a table of a similar name in its schema, or at a schema of a similar name."""
        otherwise = "Check the spelling, and the schema it is in."
        if len(name.parts) < 2:
            return otherwise
        above, catalog = name.parts[:-1], self._spark.catalog
        if not catalog.databaseExists(TableName(above).quoted):
            schemas = [found.name for found in catalog.listDatabases()]
            return nearest(above[-1], schemas, f"There is no schema {TableName(above)}.")
        tables = [found.name for found in catalog.listTables(TableName(above).quoted)]
        names = [str(TableName((*above, table))) for table in tables]
        return nearest(str(name), names, otherwise)

    def _forget(self, name: TableName) -> None:
        """Let a catalog in memory forget a table whose folder another process has removed."""
        session: Any = self._spark
        if session.conf.get("spark.sql.catalogImplementation", "in-memory") != "in-memory":
            return
        identifier = self._identifier(name)
        location = self._catalog.getTableMetadata(identifier).location()
        folder, system = _folder(session, location)
        if not system.exists(folder):
            self._catalog.dropTable(identifier, True, False)

    def require_valid(self, name: TableName) -> None:
        """Refuse a name before anything is written: Spark's own catalog does so only after Delta has made the table."""
        if self._spark.conf.get("spark.sql.catalog.spark_catalog", None) != _DELTA_CATALOG:
            return
        for part in name.parts:
            if not re.fullmatch(r"[A-Za-z0-9_]+", part):
                raise _invalid(name, f"{part!r} has other signs than letters, digits and _")

    def register(self, name: TableName, path: str) -> None:
        """Let the session know a Delta table that lies in a folder."""
        if len(name.parts) > 1:
            self._spark.sql(f"CREATE SCHEMA IF NOT EXISTS {TableName(name.parts[:-1]).quoted}")
        folder = path.replace("\\", "\\\\").replace("'", "\\'")
        self._spark.sql(f"CREATE TABLE IF NOT EXISTS {name.quoted} USING delta LOCATION '{folder}'")

    def names(self) -> list[TableName]:
        """Every table of the session's catalog that is not a view."""
        return [
            TableName((schema.name, table.name))
            for schema in self._spark.catalog.listDatabases()
            for table in self._spark.catalog.listTables(schema.name)
            if not table.isTemporary and table.tableType != "VIEW"
        ]

    def drop(self, name: TableName) -> None:
        """Drop a table, its rows included."""
        location = self._location(name)
        self._spark.sql(f"DROP TABLE IF EXISTS {name.quoted}")
        if location:
            self._logs.pop(location, None)
            self.delete(location)

    def qualified(self, path: str) -> str:
        """A path as Spark writes it where it tells where a table lies."""
        folder, system = _folder(self._spark, path)
        return str(folder.makeQualified(system.getUri(), system.getWorkingDirectory()).toString())

    def delete(self, path: str) -> None:
        """Remove a folder with all that is in it, wherever it lies."""
        folder, system = _folder(self._spark, path)
        system.delete(folder, True)

    def _at(self, path: str) -> DeltaLog:
        if path not in self._logs:
            self._logs[path] = self.log_type.of(self._spark, path)
        return self._logs[path]

    def _elsewhere(self, name: TableName) -> DeltaLog | None:
        """The log of a Delta table that another catalog than the session's own keeps."""
        return DeltaLog.named(self._spark, name)

    def _location(self, name: TableName) -> str | None:
        """Where the session's own catalog keeps a Delta table: asked of it directly, in a millisecond."""
        from pyspark.errors import AnalysisException

        if len(name.parts) > 2:
            return None
        try:
            table = self._catalog.getTableMetadata(self._identifier(name))
            location = str(table.location().toString())
        except AnalysisException:  # there is none of that name, or it is a view
            return None
        if location in self._logs:
            return location
        provider = table.provider()
        is_delta = provider.isDefined() and provider.get().lower() == "delta"
        return location if is_delta else None

    @cached_property
    def _catalog(self) -> Any:
        """The session's own catalog: each step on the way to it is a call."""
        session: Any = self._spark
        return session._jsparkSession.sessionState().catalog()

    def _identifier(self, name: TableName) -> Any:
        if name not in self._identifiers:
            option = java_option(self._spark)
            identifier = java_class(self._spark, "org.apache.spark.sql.catalyst.TableIdentifier")
            if len(name.parts) == 1:  # the current schema may be another by the next time
                return identifier(name.parts[0], option.apply(self._catalog.getCurrentDatabase()))
            self._identifiers[name] = identifier(name.parts[1], option.apply(name.parts[0]))
        return self._identifiers[name]

    def _is_temporary(self, name: TableName) -> bool:
        return bool(self._catalog.getTempView(name.parts[0]).isDefined())


def _invalid(name: TableName, reason: str) -> InvalidName:
    return InvalidName(
        f"{name} cannot be a table's name here: {reason}",
        hint="Write table or schema.table; Spark's own catalog takes letters, digits and _ only.",
    )


def mapping_of(names: Iterable[str]) -> dict[str, str]:
    """The property that a Delta table needs for columns with signs that Parquet does not take in names."""
    is_needed = any(set(" ,;{}()\n\t=") & set(name) for name in names)
    return {"delta.columnMapping.mode": "name"} if is_needed else {}


def is_delta_table(spark: SparkSession, path: str) -> bool:
    """Whether a Delta table lies in a folder."""
    try:
        DeltaLog.of(spark, path)
    except UnknownTable:
        return False
    return True


def tables_in(spark: SparkSession, warehouse: str) -> dict[str, str]:
    """The folders of a warehouse that hold Delta tables, as Spark lays them out, by the key of the table's name."""
    root, system = _folder(spark, warehouse)
    found = {}
    for log in system.globStatus(root.suffix("/{*.db/*,*}/_delta_log")) or ():
        folder = log.getPath().getParent()
        above = folder.getParent().getName()
        schema = above.removesuffix(".db") if above.endswith(".db") else "default"
        found[TableName((schema, folder.getName())).key] = str(folder.toString())
    return found


def _folder(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Hadoop's values of a path and of the file system that it is in."""
    session: Any = spark
    folder = session._jvm.org.apache.hadoop.fs.Path(path)
    return folder, folder.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
