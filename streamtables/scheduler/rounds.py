"""The daemon's work without its clock: one look at what is due, the refreshes that follow, and what comes of them."""

from __future__ import annotations

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamtables.errors import StreamTablesError
from streamtables.model import Action, Status
from streamtables.refresh.choose import reason_of
from streamtables.refresh.fan_out import FanOut
from streamtables.refresh.graph import in_order
from streamtables.scheduler.due import Due, Known, Rules, due
from streamtables.scheduler.events import Event, Listener
from streamtables.scheduler.known import known_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import StreamTable
    from streamtables.refresh.attempt import Ended
    from streamtables.refresh.run import Refresher

# A table is suspended only when a permanent error comes twice: a source may be on its way to being replaced.
_TWICE = 2


@dataclass
class Rounds:
    """The refreshes of one warehouse on one Spark session."""

    refresher: Refresher
    rules: Rules
    workers: int
    tell: Listener
    _running: set[str] = field(default_factory=set)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _is_stopping: bool = False

    def __post_init__(self) -> None:
        self._slots = threading.BoundedSemaphore(self.workers)
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="round")

    def look(self) -> int:
        """Begin the refreshes that are due, each graph by itself; gives how many tables those are."""
        catalog, now = self.refresher.catalog, self.refresher.now()
        tables = catalog.tables()
        known = {one.key: one for one in known_tables(catalog, self.refresher.engine, tables, now)}
        with self._changed:
            found = due(known.values(), now, self.rules, frozenset(self._running))
        by_graph: dict[str, list[Due]] = defaultdict(list)
        for one in found:
            by_graph[known[one.key].graph].append(one)
        for together in by_graph.values():
            self._begin(together, known, tables)
        return len(found)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing runs; False if something still does."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, timeout_s)

    def stop(self) -> None:
        """Begin no other table; those that run go on."""
        self._is_stopping = True

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(
        self, together: Sequence[Due], known: dict[str, Known], tables: Sequence[StreamTable]
    ) -> None:
        keys = {key for one in together for key in (one.key, *known[one.key].upstream)}
        by_key = {table.name.key: table for table in tables}
        for one in together:
            if one.missed:
                detail = f"{one.missed} ticks went by without a refresh of their own"
                self._end(
                    self.refresher.skip(by_key[one.key], Action.SKIPPED, "TICKS_MISSED", detail)
                )
        with self._changed:
            self._running |= keys
        self._pool.submit(self._run, [one.key for one in together], frozenset(keys))

    def _run(self, asked: Sequence[str], keys: frozenset[str]) -> None:
        how = FanOut(
            self.refresher,
            parallel=self.workers,
            heeds_status=True,
            may_start=lambda: not self._is_stopping,
            slots=self._slots,
            told=self._end,
        )
        try:
            how.refresh(
                lambda every: in_order([table for table in every if table.name.key in keys])
            )
        except Exception as error:  # noqa: BLE001 the daemon outlives whatever happens to a graph
            self._fail(asked, error)
        finally:
            with self._changed:
                self._running -= keys
                self._changed.notify_all()

    def _end(self, ended: Ended) -> None:
        """Tell of an attempt, and suspend the table if trying again would not help."""
        refresh, error = ended.refresh, ended.error
        self.tell(Event.of(refresh))
        if error is None or self.refresher.engine.is_transient(error):
            return
        last = self.refresher.catalog.attempts().get(refresh.table_id)
        if last is not None and last.failures >= _TWICE:
            self.refresher.catalog.set_status(refresh.table_id, Status.SUSPENDED, str(error))
            fields = {"table": refresh.name, "error": str(error)}
            self.tell(Event("suspended", "ERROR", fields))

    def _fail(self, asked: Sequence[str], error: Exception) -> None:
        """A whole graph could not be refreshed: each table that was due has failed, and waits before it tries again."""
        fields = {"tables": ", ".join(asked), "error": str(error)}
        self.tell(Event("graph_failed", "ERROR", fields))
        try:
            for table in self.refresher.catalog.tables():
                if table.name.key in asked:
                    self.refresher.skip(table, Action.FAILED, reason_of(error), str(error))
        except StreamTablesError as unnoted:
            self.tell(Event("not_noted", "ERROR", {"error": str(unnoted)}))
