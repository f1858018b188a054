"""What queries read: tables resolved, their versions pinned, their answers analyzed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamtables.errors import InvalidQuery, SourceChanged, first_line
from streamtables.model import CLOCK, Column, Source, SourceKind, TableName
from streamtables.spark.clock import clock_at
from streamtables.spark.condition import condition_of
from streamtables.spark.continuity import check
from streamtables.spark.mirror import Mirrors
from streamtables.spark.reading import read_version
from streamtables.spark.tables import Tables
from streamtables.spark.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import Condition, Frontier, Position, Window
    from streamtables.spark.log import DeltaLog
    from streamtables.sql.compile import Compiled

_BROKEN = {
    "REPLACED": "SOURCE_REPLACED",
    "SCHEMA_CHANGED": "SOURCE_SCHEMA_CHANGED",
    "VERSIONS_MISSING": "SOURCE_HISTORY_LOST",
    "VERSION_VACUUMED": "SOURCE_HISTORY_LOST",
}


class Sources:
    """The tables that queries read, in one Spark session."""

    tables_type, views_type = Tables, Views

    def __init__(
        self,
        spark: SparkSession,
        private_folder: str,
        locked: Callable[[str], AbstractContextManager[object]],
    ) -> None:
        self.spark = spark
        self._tables = self.tables_type(spark)
        self._views = self.views_type(spark)
        self._mirrors = Mirrors(spark, private_folder, locked, self._tables.log_type)

    def resolve(self, name: TableName) -> TableName:
        """A name with its schema, as the session sees it now."""
        return self._tables.resolve(name)

    def view(self, name: TableName) -> str | None:
        """The query behind a view, over tables alone."""
        return self._views.query(name)

    def source(self, name: TableName) -> Source:
        """Resolve a table that a query reads."""
        resolved = self._tables.resolve(name)
        log = self._tables.log(resolved)
        if log is None:
            return self._mirrors.source(resolved)
        return Source(resolved, SourceKind.DELTA, log.metadata().columns)

    def analyze(self, compiled: Compiled) -> tuple[Column, ...]:
        """The names and types of a query's answer, as Spark says."""
        with self._session() as spark:
            relations = {}
            for number, source in enumerate(compiled.sources):
                relations[source.name.key] = f"new_{number}"
                empty = ", ".join(
                    f"{_quoted(column.name)} {column.type}" for column in source.columns
                )
                spark.createDataFrame([], empty).createOrReplaceTempView(f"new_{number}")
            schema = _analyzed(spark, compiled, relations).schema
            if compiled.plan is not None:
                assert len(compiled.plan.columns) == len(schema.fields)
            return tuple(Column(part.name, part.dataType.simpleString()) for part in schema.fields)

    def pin(self, sources: Sequence[Source]) -> dict[str, Position]:
        """The newest position of each source."""
        return {source.name.key: self._log(source, is_synced=True).position() for source in sources}

    def broken(
        self, source: Source, window: Window, columns: Sequence[str]
    ) -> tuple[str, str] | None:
        """Why the change of a source cannot be read as a delta, or None."""
        found = check(self._log(source), window.since, window.until, columns)
        if found.reason is None:
            return None
        return _BROKEN[found.reason.value], found.message

    def condition(self, source: Source, since: Position | None) -> Condition:
        """How a source is kept, for one who has read it up to a position."""
        return condition_of(self._log(source), since.version if since else None)

    def _log(self, source: Source, *, is_synced: bool = False) -> DeltaLog:
        if source.kind is SourceKind.MIRRORED:
            return self._mirrors.log(source, is_synced=is_synced)
        log = self._tables.log(source.name)
        if log is None:
            raise SourceChanged(
                f"{source.name} is no longer a Delta table",
                hint="Alter the stream table's query, or drop it.",
            )
        return log

    def _answer(self, spark: SparkSession, compiled: Compiled, frontier: Frontier) -> DataFrame:
        """The full query at a frontier."""
        relations = {}
        for number, source in enumerate(compiled.sources):
            key = source.name.key
            relations[key] = f"new_{number}"
            frame = read_version(spark, self._log(source), frontier.positions[key].version)
            frame.createOrReplaceTempView(relations[key])
        if compiled.reads_clock:
            relations[CLOCK] = "clock"
            clock_at(spark, frontier.positions[CLOCK]).createOrReplaceTempView("clock")
        return spark.sql(compiled.reading(relations))

    @contextmanager
    def _session(self) -> Iterator[SparkSession]:
        """A session for one piece of work: it begins with this one's settings and functions, and keeps its own."""
        clone: Any = self.spark
        yield type(self.spark)(clone.sparkContext, clone._jsparkSession.cloneSession())


def _analyzed(spark: SparkSession, compiled: Compiled, relations: Mapping[str, str]) -> DataFrame:
    from pyspark.errors import AnalysisException, ParseException

    try:
        return spark.sql(compiled.reading(relations, is_as_written=True))
    except (AnalysisException, ParseException) as error:
        message = first_line(error).split(";")[0]
        raise InvalidQuery(
            f"Spark refuses the query: {message}", hint="Correct it until spark.sql(query) runs."
        ) from None


def _quoted(name: str) -> str:
    return TableName((name,)).quoted
