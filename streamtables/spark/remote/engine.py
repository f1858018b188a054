"""The engine over Spark Connect: what the other does, but by SQL; what needs the driver is refused by name."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamtables.spark.commit import SparkChanges, Writer
from streamtables.spark.engine import SparkEngine
from streamtables.spark.jobs import ONE_PART
from streamtables.spark.remote.tables import RemoteTables, RemoteViews
from streamtables.spark.session import is_remote
from streamtables.spark.work import SparkWork

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

    from streamtables.model import StreamTable
    from streamtables.spark.jobs import Jobs
    from streamtables.spark.state import StateTable
    from streamtables.sql.compile import Compiled


def engine_type(spark: SparkSession) -> type[SparkEngine]:
    """The engine for a session."""
    return RemoteEngine if is_remote(spark) else SparkEngine


@contextmanager
def _uncounted(spark: SparkSession, _: str) -> Iterator[None]:
    """A session made ready for jobs on few rows, which nothing counts."""
    spark.conf.set(ONE_PART, "1")
    yield None


class RemoteWriter(Writer):
    """Writes a change by statements."""

    def _is_added_to(self, changes: SparkChanges) -> bool:
        return False


class RemoteWork(SparkWork):
    """Computes one refresh in a session of its own on the server."""

    writer_type = RemoteWriter


class RemoteEngine(SparkEngine):
    """Follows sources and writes tables through a Spark Connect session."""

    tables_type, views_type, work_type = RemoteTables, RemoteViews, RemoteWork
    jobs_of: Jobs = staticmethod(_uncounted)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._running: list[Any] = []

    def register(self, others: Mapping[str, str]) -> None:
        """The server's catalog lasts longer than this session: it knows its tables."""

    def is_alive(self) -> bool:
        """Whether the server answers."""
        try:
            return bool(self.spark.version)
        except Exception:  # noqa: BLE001 whatever it is, nothing can be done through it
            return False

    def abandon(self) -> None:
        """Cancel what runs in the sessions of refreshes."""
        for session in list(self._running):
            session.interruptAll()

    @contextmanager
    def _session(self) -> Iterator[SparkSession]:
        clone: Any = self.spark
        session = clone.cloneSession()
        self._running.append(session)
        try:
            yield session
        finally:
            self._running.remove(session)
            session.client.release_session()
            session.client.close()

    def _state_of(self, table: StreamTable, compiled: Compiled) -> StateTable | None:
        return None
