"""The engine on Spark and Delta Lake: resolves tables, pins versions, makes and drops stream tables."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from streamtables.checks import measures_of, require_passed
from streamtables.codec import definition_to_json, frontier_from_json, frontier_to_json
from streamtables.errors import NameTaken, UnknownTable
from streamtables.model import Committed, Frontier, TableName, Window, Written
from streamtables.spark.apply import mark_session
from streamtables.spark.carried import DEFINITION, definition_in, is_of, properties_of
from streamtables.spark.changes import read_changes
from streamtables.spark.checking import Checking
from streamtables.spark.compact import compacted
from streamtables.spark.health import is_alive, is_transient
from streamtables.spark.inputs import Inputs
from streamtables.spark.jobs import small_jobs
from streamtables.spark.rows import in_columns
from streamtables.spark.shared import SharedChanges
from streamtables.spark.sources import Sources
from streamtables.spark.stamp import Stamp
from streamtables.spark.state import StateTable
from streamtables.spark.tables import is_delta_table, mapping_of, tables_in
from streamtables.spark.work import SparkWork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import StreamTable
    from streamtables.spark.jobs import Jobs
    from streamtables.spark.log import DeltaLog
    from streamtables.sql.compile import Compiled

_PROPERTIES = {"delta.checkpointInterval": "50", "delta.enableDeletionVectors": "true"}


class SparkEngine(Sources):
    """Keeps what is known of tables between refreshes, so that a refresh without news asks little."""

    work_type = SparkWork
    jobs_of: Jobs = staticmethod(small_jobs)

    def __init__(
        self,
        spark: SparkSession,
        warehouse: str,
        private_folder: str,
        locked: Callable[[str], AbstractContextManager[object]],
    ) -> None:
        super().__init__(spark, private_folder, locked)
        self._warehouse = self._tables.qualified(warehouse)
        self._private_folder = private_folder
        self._written: dict[str, tuple[int, Written]] = {}
        self._states: dict[str, StateTable] = {}
        self._shared = SharedChanges()

    def written(self, table: StreamTable) -> Written | None:
        """What the stream table's log says."""
        try:
            log = self._tables.log(table.name)
        except UnknownTable:
            return None
        if log is None:
            return None
        latest = log.latest()
        known = self._written.get(table.app_id)
        if known is None or known[0] != latest:
            commit = log.last_commit(table.app_id)
            if commit is None or commit.user_metadata is None:
                return None
            later = log.commits(commit.version, latest)
            is_foreign = any(other.changes_rows for other in later)
            frontier = frontier_from_json(commit.user_metadata)
            known = latest, Written(commit.version, frontier, is_foreign)
            self._written[table.app_id] = known
        return known[1]

    def exists(self, name: TableName) -> bool:
        """Whether the catalog has a table of that name."""
        return self._tables.exists(name)

    def path(self, name: TableName) -> str | None:
        """Where a Delta table lies; None for any other."""
        log = self._tables.log(name)
        return log.path if log is not None else None

    def register(self, others: Mapping[str, str]) -> None:
        """Let a session without a lasting catalog know tables by their folders: the warehouse's, and others."""
        if self.spark.conf.get("spark.sql.catalogImplementation", "in-memory") != "in-memory":
            return
        for key, path in {**tables_in(self.spark, self._warehouse), **others}.items():
            name = TableName.parse(key)
            if not self.exists(name) and is_delta_table(self.spark, path):
                self._tables.register(name, path)

    def find(self) -> list[StreamTable]:
        """The stream tables of the warehouse, by what those in its folder and in the catalog carry."""
        self.register({})
        logs = (self._own(name) for name in self._tables.names())
        return [table for table in map(definition_in, logs) if table is not None]

    def _own(self, name: TableName) -> DeltaLog | None:
        try:
            log = self._tables.log(name)
        except UnknownTable:  # the catalog has it, its folder is gone
            return None
        return log if is_of(log, self._warehouse) else None

    def version(self, table: StreamTable) -> int:
        """The newest version of a stream table."""
        return self._result(table).latest()

    def changes(self, table: StreamTable, since: int, until: int | None = None) -> DataFrame:
        """The net change of a stream table between two of its versions, the newest if `until` is left out."""
        log = self._result(table)
        return read_changes(self.spark, log, since, log.latest() if until is None else until).frame

    def left_behind(self, table: StreamTable) -> tuple[StreamTable, Frontier, Committed] | None:
        """The stream table of the same name and query that was made but never registered."""
        if not self.exists(table.name):
            return None
        found = self.definition(table.name)
        if found is None or found.fingerprint != table.fingerprint:
            raise NameTaken(
                f"A table named {table.name} exists",
                hint="Choose another name. If it is a stream table of a lost registry, call rebuild_registry().",
            )
        written = self.written(found)
        return (found, written.frontier, Committed(written.version, 0, 0)) if written else None

    def definition(self, name: TableName) -> StreamTable | None:
        """The definition that a stream table carries in its properties."""
        return definition_in(self._tables.log(name))

    def create(self, table: StreamTable, compiled: Compiled, frontier: Frontier) -> Committed:
        """Make the stream table with the query's answer at the frontier, in one commit."""
        self._tables.require_valid(table.name)
        measures = self._write_table(table, compiled, frontier, is_new=True)
        (commit,) = self._result(table).commits(-1, 0)
        return Committed(0, commit.rows or 0, 0, measures)

    def replace(self, table: StreamTable, compiled: Compiled, frontier: Frontier) -> Committed:
        """Give a stream table other columns and the answer of its altered query, in one commit."""
        log = self._result(table)
        gone = log.row_count()
        measures = self._write_table(table, compiled, frontier, is_new=False)
        come = log.row_count()
        return Committed(log.latest(), come or 0, gone or 0, measures)

    def describe(self, table: StreamTable) -> None:
        """Let the stream table carry its definition as it is now."""
        text = definition_to_json(table).replace("\\", "\\\\").replace("'", "\\'")
        self.spark.sql(
            f"ALTER TABLE {table.name.quoted} SET TBLPROPERTIES ('{DEFINITION}' = '{text}')"
        )

    def _result(self, table: StreamTable) -> DeltaLog:
        log = self._tables.log(table.name)
        assert log is not None
        return log

    def _write_table(
        self, table: StreamTable, compiled: Compiled, frontier: Frontier, *, is_new: bool
    ) -> Mapping[str, float]:
        from pyspark.errors import AnalysisException

        with self._session() as spark, closing(Checking(spark, table)) as checking:
            if len(table.name.parts) > 1:
                schema = TableName(table.name.parts[:-1])
                spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema.quoted}")
            mark_session(spark, Stamp(table.app_id, frontier.number, frontier_to_json(frontier)))
            answer = checking.answer(self._answer(spark, compiled, frontier))
            require_passed(table.name, checking.found)
            if compiled.is_settled:
                answer = in_columns(answer, table.columns)
            writer = answer.writeTo(table.name.quoted).using("delta")
            properties = {**_PROPERTIES, **mapping_of(column.name for column in table.columns)}
            properties |= properties_of(table, self._warehouse)
            for key, value in properties.items():
                writer = writer.tableProperty(key, value)
            try:
                writer.create() if is_new else writer.replace()
            except AnalysisException as error:
                if error.getCondition() != "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION":
                    raise
                raise NameTaken(
                    f"The folder where {table.name} would lie is not empty: {error}",
                    hint="A killed create may have left these files: remove the folder, or choose another name.",
                ) from None
            return measures_of(checking.found)

    @contextmanager
    def work(
        self, table: StreamTable, compiled: Compiled, windows: Mapping[str, Window]
    ) -> Iterator[SparkWork]:
        """Open one refresh's computing, in a session of its own."""
        logs = {source.name.key: self._log(source) for source in table.sources}
        with self._session() as spark, self.jobs_of(spark, f"Refresh {table.name}") as jobs:
            target, state = self._tables.log(table.name), self._state_of(table, compiled)
            inputs = Inputs(spark, windows, logs, target, self._shared)
            with closing(self.work_type(spark, table, compiled, inputs, state, jobs)) as work:
                yield work

    def _state_of(self, table: StreamTable, compiled: Compiled) -> StateTable | None:
        """What is kept beside a table, for queries of which something can be kept."""
        if compiled.kept is None:
            return None
        if table.app_id not in self._states:
            self._states[table.app_id] = StateTable(self.spark, self._private_folder, table)
        return self._states[table.app_id]

    def state_types(
        self, table: StreamTable, compiled: Compiled, frontier: Frontier
    ) -> Mapping[str, str] | None:
        """The types of what is kept beside the table, if it stands at the frontier."""
        state = self._state_of(table, compiled)
        return state.types(frontier.positions) if state else None

    def is_alive(self) -> bool:
        """Whether the session and its JVM are there."""
        return is_alive(self.spark.sparkContext)

    def is_transient(self, error: Exception) -> bool:
        """Whether an error may be gone when the same is tried again."""
        return is_transient(error)

    def abandon(self) -> None:
        """Cancel every job of the session."""
        self.spark.sparkContext.cancelAllJobs()

    def compact(self, table: StreamTable, compiled: Compiled, *, always: bool) -> tuple[int, int]:
        """Write small files of the table and of its state together; gives the table's files before and after."""
        log, state = self._result(table), self._state_of(table, compiled)
        return compacted(self._session, log, state.log if state else None, always=always)

    def drop(self, table: StreamTable) -> None:
        """Remove the stream table, its rows, and what is kept beside it."""
        self._tables.drop(table.name)
        self._states.pop(table.app_id, None)
        self._tables.delete(f"{self._private_folder}/state/{table.id}")
        self._written.pop(table.app_id, None)
