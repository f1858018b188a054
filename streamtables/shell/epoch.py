"""Statements that count as one change: run one after the other, then taken in by one refresh of all stream tables.

Each statement is a Delta commit of its own, so a failure in the middle undoes nothing: those before it stand, those
from it on wait. Stream tables see none of it before the refresh, unless a daemon refreshes meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.errors import InvalidQuery, StreamTablesError, first_line
from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.api import StreamTables
    from streamtables.model import Refresh

_NO_PLAN = "Error occurred during query planning:"
MOST_ROWS = 20
"""So many rows of each stream table's change are shown."""


@dataclass(frozen=True)
class TableChange:
    """What an epoch did to one stream table: its refresh, and the rows that came (weight above 0) and went."""

    refresh: Refresh
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()  # the weight last

    @property
    def lines(self) -> Iterator[str]:
        """The change for people."""
        done = self.refresh
        counts = f"+{done.rows_inserted} -{done.rows_deleted}"
        yield f"{done.name}  {done.action.value} ({done.reason})  {counts}  {done.seconds:.2f} s"
        if done.error:
            yield f"  {done.error}"
        for *values, weight in sorted(self.rows, key=_signed_last):
            texts = ("NULL" if value is None else str(value) for value in values)
            count = int(weight)
            times = f"  ({abs(count)} times)" if abs(count) > 1 else ""
            yield f"  {'+' if count > 0 else '-'} {', '.join(texts)}{times}"
        if len(self.rows) == MOST_ROWS:
            yield "  … `changes " + done.name + "` shows them all"


class Epoch:
    """The statements that wait for COMMIT."""

    def __init__(self, st: StreamTables) -> None:
        self._st = st
        self.pending: list[str] = []

    def add(self, statement: str, target: str) -> None:
        """Keep a statement, once Spark has found no fault in it."""
        if self._st.is_stream_table(target):
            raise StreamTablesError(
                f"{target} is a stream table", hint="Change the tables that it reads."
            )
        lines = [row[0] for row in self._st.spark.sql(f"EXPLAIN {statement}").collect()]
        told = "\n".join(lines)
        if told.startswith(_NO_PLAN):
            reason = first_line(told.removeprefix(_NO_PLAN)).split(";")[0].rstrip(".")
            raise InvalidQuery(f"Spark refuses the statement: {reason}")
        self.pending.append(statement)

    def rollback(self) -> int:
        """Forget what waits; returns how many statements."""
        count = len(self.pending)
        self.pending.clear()
        return count

    def commit(self) -> Iterator[TableChange | str]:
        """Run what waits, each statement told before it runs, then refresh; the change of each stream table."""
        done = 0
        while self.pending:
            yield self.pending[0]
            try:
                self._st.spark.sql(self.pending[0])
            except Exception as error:
                raise self._stopped(error, done) from error
            self.pending.pop(0)
            done += 1
        engine = self._st.engine
        before = {table.name.key: engine.version(table) for table in self._st.list()}
        for refresh in self._st.refresh_all():
            yield self._change(refresh, before)

    def _stopped(self, error: Exception, done: int) -> StreamTablesError:
        """What failed, and what stands and waits."""
        reason = first_line(error).rstrip(".")
        return StreamTablesError(
            f"{self.pending[0]} failed, {done} statements before it were applied: {reason}",
            hint="It waits with those behind it: COMMIT tries them again, ROLLBACK forgets them.",
        )

    def _change(self, refresh: Refresh, before: dict[str, int]) -> TableChange:
        key = TableName.parse(refresh.name).key
        if refresh.version is None or key not in before:
            return TableChange(refresh)
        frame = self._st.changes(refresh.name, before[key], refresh.version)
        rows = tuple(tuple(row) for row in frame.take(MOST_ROWS))
        return TableChange(refresh, tuple(frame.columns[:-1]), rows)


def _signed_last(row: tuple[Any, ...]) -> tuple[str, int]:
    """Rows that go before those that come in their place."""
    return str(row[0]) if len(row) > 1 else "", row[-1]
