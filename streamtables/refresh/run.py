"""One refresh of one stream table: lock, recover, pin, read, derive, commit, note.

The commit on the result is the commit point: it carries the rows, the refresh's number and the frontier together. All
before it only computes; all after it only copies what it says into the registry. `observe` is told of each step as it
begins, so that progress can be shown and a test can stop the process between any two of them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from streamtables.catalog.base import utc_now
from streamtables.errors import CommitLost, NotAStreamTable, SourceChanged
from streamtables.model import Action, Frontier, Refresh
from streamtables.refresh.attempt import Attempt, Ended
from streamtables.refresh.broken import broken_by
from streamtables.refresh.change import change_of, follow
from streamtables.refresh.choose import Decision, choose, choose_way, must_run
from streamtables.refresh.define import resolved_again
from streamtables.refresh.fuse import Fuse
from streamtables.refresh.moment import Moment, MomentPassed
from streamtables.sql.compile import Compiled, compile_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable, Written
    from streamtables.refresh.engine import Engine, Work

# The steps of making and of refreshing a stream table, in order; each is told before it begins.
CREATE_STEPS = ("create:lock", "create:fill", "create:register", "create:note", "create:unlock")
STEPS = ("lock", "recover", "pin", "open", "read", "derive", "commit", "committed", "note", "unlock")  # fmt: skip


@dataclass(frozen=True)
class Refresher:
    """Refreshes stream tables of one registry on one engine."""

    engine: Engine
    catalog: Catalog
    lock: Callable[[StreamTable], AbstractContextManager[object]]
    observe: Callable[[str], None] = lambda _: None
    now: Callable[[], datetime] = utc_now
    fuse: Fuse = field(default_factory=Fuse)

    def create(self, table: StreamTable, moment: Moment) -> Refresh:
        """Make a stream table and fill it; a table that an earlier, killed attempt left is taken over."""
        attempt = Attempt.begun(table, self.now())
        self.observe("create:lock")
        with self._locked(table, "create:unlock"):
            self.observe("create:fill")
            compiled = compile_table(table)
            left = self.engine.left_behind(table)
            frontier = moment.frontier(table, 1, reads_clock=compiled.reads_clock)
            if left is None:
                committed = self.engine.create(table, compiled, frontier)
            else:
                table, frontier, committed = left
                attempt = replace(attempt, table=table)
            self.observe("create:register")
            self.catalog.add(table)
            self.observe("create:note")
            filled = Decision(Action.FULL, "FIRST_FILL", compiled.why_full)
            refresh = attempt.done(filled, committed, frontier, committed.measures)
            self.catalog.note(refresh)
            return refresh

    def alter(
        self, table: StreamTable, changed: Callable[[StreamTable], StreamTable], moment: Moment
    ) -> tuple[StreamTable, Refresh | None]:
        """Give a stream table another definition, which it carries first; other columns come with their rows."""
        with self.lock(table):
            old = self._as_carried(self._registered(table))
            new = changed(old)
            attempt = Attempt.begun(new, self.now())
            if new.columns == old.columns:
                self.engine.describe(new)
                self.catalog.update(new)
                return new, None
            compiled = compile_table(new)
            frontier = moment.frontier(new, 1, reads_clock=compiled.reads_clock)
            committed = self.engine.replace(new, compiled, frontier)
            self.catalog.update(new)
            filled = Decision(Action.REINITIALIZE, "QUERY_CHANGED")
            return new, self._noted(attempt.done(filled, committed, frontier, committed.measures))

    def take_back(self, new: StreamTable, old: StreamTable) -> None:
        """Give a stream table its old definition again, unless somebody has altered it further."""
        with self.lock(new):
            if self._registered(new).generation == new.generation:
                self.engine.describe(old)
                self.catalog.update(old)

    def drop(self, table: StreamTable) -> None:
        """Remove a stream table, its rows and its definition."""
        with self.lock(table):
            self.engine.drop(table)
            self.catalog.forget_path(table.name)
            self.catalog.remove(table.id)

    def refresh(self, table: StreamTable, moment: Moment, asked: Action | None = None) -> Ended:
        """Bring one stream table to a moment; FULL or REINITIALIZE may be asked for.

        Raises:
            MomentPassed: it is beyond the moment already.
        """
        attempt = Attempt.begun(table, self.now())
        try:
            self.observe("lock")
            with self._locked(table, "unlock"):
                # It may have been altered or dropped while this refresh waited for the lock.
                attempt = replace(attempt, table=self._registered(table))
                refresh = self._refresh_locked(attempt, moment, asked)
                assert refresh.frontier is not None
                moment.reach(table, refresh.frontier)
                return Ended(refresh)
        except MomentPassed:
            raise
        except CommitLost as error:
            if moment.is_read(table):
                raise MomentPassed(error.message) from error
            return Ended(self._already(attempt))
        except Exception as error:  # noqa: BLE001 whoever asked for the refresh decides
            return Ended(self._noted(attempt.failed(error)), error)

    def skip(
        self, table: StreamTable, action: Action, reason: str, detail: str | None = None
    ) -> Ended:
        """Note why a stream table is not refreshed."""
        return Ended(self._noted(Attempt.begun(table, self.now()).skipped(action, reason, detail)))

    @contextmanager
    def _locked(self, table: StreamTable, last: str) -> Iterator[None]:
        with self.lock(table):
            yield
            self.observe(last)

    def _registered(self, table: StreamTable) -> StreamTable:
        found = self.catalog.find(table.name)
        if found is None or found.id != table.id:
            raise NotAStreamTable(
                f"{table.name} was dropped meanwhile", hint="List the stream tables."
            )
        return found

    def _as_carried(self, table: StreamTable) -> StreamTable:
        """The definition that the table itself carries, where an alter was cut short before the registry had it."""
        carried = self.engine.definition(table.name)
        if carried is None or carried.id != table.id or carried.generation <= table.generation:
            return table
        self.catalog.update(carried)
        return self._registered(table)

    def _refresh_locked(self, attempt: Attempt, moment: Moment, asked: Action | None) -> Refresh:
        table = attempt.table
        self.observe("recover")
        written = self.engine.written(table)
        if written is None or written.is_foreign:
            table = self._as_carried(table)
            attempt = replace(attempt, table=table)
            written = self.engine.written(table)
        compiled = compile_table(table)
        frontier = self._recovered(table, written)
        attempt = replace(attempt, since=frontier)
        self.observe("pin")
        number = frontier.number + 1
        ahead = moment.frontier(table, number, reads_clock=compiled.reads_clock)
        moment.require_ahead(table, frontier, ahead)
        is_full_asked = asked is Action.FULL
        broken = broken_by(self.engine, table, compiled, written, frontier.windows(ahead))
        if broken or asked is Action.REINITIALIZE:
            broken = broken or ("REINITIALIZE_ASKED", "asked for")
            table = resolved_again(self.engine, table)
            if table != attempt.table:
                self.engine.describe(table)
                self.catalog.update(table)
            attempt, compiled = replace(attempt, table=table), compile_table(table)
            ahead = moment.frontier(table, number, reads_clock=compiled.reads_clock)
        windows = frontier.windows(ahead)
        decision = choose(
            table.refresh_mode, compiled.refusal, is_full_asked=is_full_asked, broken=broken
        )
        is_moved = any(window.since != window.until for window in windows.values())
        if not is_moved and not must_run(decision, is_full_asked):
            return self._noted(attempt.nothing("NO_CHANGE", replace(ahead, number=number - 1)))
        self.observe("open")
        with self.engine.work(attempt.table, compiled, windows) as work:
            return self._run(attempt, compiled, work, decision, ahead)

    def _run(
        self,
        attempt: Attempt,
        compiled: Compiled,
        work: Work[Any],
        decision: Decision | None,
        ahead: Frontier,
    ) -> Refresh:
        as_before = replace(ahead, number=ahead.number - 1)
        if decision is None or decision.action is Action.INCREMENTAL:
            self.observe("read")
            try:
                changed = work.changed_rows()
            except SourceChanged as error:  # a file of the range is gone, which only reading tells
                lost = Decision(Action.REINITIALIZE, "SOURCE_HISTORY_LOST", error.message)
                return self._run(attempt, compiled, work, lost, ahead)
            if not changed:
                work.keep(as_before)
                return self._noted(attempt.nothing("NO_NET_CHANGE", as_before, work.measures()))
            decision = decision or choose_way(attempt.table, compiled, work, self.catalog)
        self.observe("derive")
        changes = change_of(attempt.table, compiled, work, decision)
        self.fuse.require_small(attempt.table, changes, work)
        is_followed = follow(attempt.table, compiled, work, decision)
        if is_followed:
            self.observe("keep")
            work.keep(ahead)
        self.observe("commit")
        committed = work.commit(changes, ahead, is_due=decision.action is Action.REINITIALIZE)
        self.observe("committed")
        if compiled.kept is not None and not is_followed and not decision.is_by_cost:
            work.keep(ahead)
        taken_in = ahead if committed.version is not None else as_before
        return self._noted(attempt.done(decision, committed, taken_in, work.measures()))

    def _recovered(self, table: StreamTable, written: Written | None) -> Frontier:
        """The frontier: what the last commit says, unless the registry knows of a later look that found no rows."""
        cached = self.catalog.frontier(table.id)
        if written is None:
            return cached or Frontier(0, {})
        if cached is not None and cached.number == written.frontier.number:
            return cached
        self.catalog.set_frontier(table.id, written.frontier)
        return written.frontier

    def _already(self, attempt: Attempt) -> Refresh:
        """What is said when another process was first, despite the lock."""
        now = self._recovered(attempt.table, self.engine.written(attempt.table))
        return self._noted(attempt.nothing("ALREADY_REFRESHED", now))

    def _noted(self, refresh: Refresh) -> Refresh:
        self.observe("note")
        self.catalog.note(refresh)
        return refresh
