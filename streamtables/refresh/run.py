"""One refresh of one stream table: lock, recover, pin, read, derive, commit, note.

The commit on the result is the commit point: it carries the rows, the refresh's number and the frontier together. All
before it only computes; all after it only copies what it says into the registry. `observe` is told of each step as it
begins, so that progress can be shown and a test can stop the process between any two of them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from streamtables.errors import CommitLost, NotAStreamTable, SourceChanged
from streamtables.model import CLOCK, Action, Frontier, Position, Refresh, Window
from streamtables.refresh.attempt import Attempt
from streamtables.refresh.broken import broken_by
from streamtables.refresh.choose import Decision, choose, choose_by_size, must_run
from streamtables.refresh.define import resolved_again
from streamtables.rules.derive import derive
from streamtables.rules.stateful import derive_with_state
from streamtables.sql.compile import Compiled, compile_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable, Written
    from streamtables.refresh.engine import Changes, Engine, Work

# The steps of making and of refreshing a stream table, in order; each is told before it begins.
CREATE_STEPS = ("create:lock", "create:fill", "create:register", "create:note", "create:unlock")
# fmt: off
STEPS = (
    "lock", "recover", "pin", "open", "read", "derive", "commit", "committed", "note", "unlock",
)
# fmt: on

_NOWHERE = Position("", -1, "")


@dataclass(frozen=True)
class Refresher:
    """Refreshes stream tables of one registry on one engine."""

    engine: Engine
    catalog: Catalog
    lock: Callable[[StreamTable], AbstractContextManager[object]]
    observe: Callable[[str], None] = lambda _: None

    def create(self, table: StreamTable) -> Refresh:
        """Make a stream table and fill it; a table that an earlier, killed attempt left is taken over."""
        attempt = Attempt.now(table)
        self.observe("create:lock")
        with self._locked(table, "create:unlock"):
            self.observe("create:fill")
            compiled = compile_table(table)
            left = self.engine.left_behind(table)
            frontier = Frontier(1, self._pinned(attempt, compiled), attempt.started_at)
            if left is None:
                committed = self.engine.create(table, compiled, frontier)
            else:
                table, frontier, committed = left
                attempt = replace(attempt, table=table)
            self.observe("create:register")
            self.catalog.add(table)
            self.observe("create:note")
            filled = Decision(Action.FULL, "FIRST_FILL", compiled.why_full)
            refresh = attempt.done(filled, committed, frontier, {})
            self.catalog.note(refresh)
            return refresh

    def alter(
        self, table: StreamTable, changed: Callable[[StreamTable], StreamTable]
    ) -> StreamTable:
        """Give a stream table another definition; the table carries it first, so that it can be found there."""
        with self.lock(table):
            old = self._as_carried(self._registered(table))
            new = changed(old)
            if new.columns != old.columns:
                self.engine.replace(new)
            else:
                self.engine.describe(new)
            self.catalog.update(new)
            return new

    def refresh(self, table: StreamTable, *, is_full_asked: bool = False) -> Refresh:
        """Bring one stream table up to its sources' newest versions."""
        attempt = Attempt.now(table)
        try:
            self.observe("lock")
            with self._locked(table, "unlock"):
                # It may have been altered or dropped while this refresh waited for the lock.
                attempt = replace(attempt, table=self._registered(table))
                return self._refresh_locked(attempt, is_full_asked)
        except CommitLost:
            return self._already(attempt)
        except Exception as error:
            self.catalog.note(attempt.failed(error))
            raise

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

    def _refresh_locked(self, attempt: Attempt, is_full_asked: bool) -> Refresh:
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
        pinned = self._pinned(attempt, compiled)
        windows = {
            key: Window(frontier.positions.get(key, _NOWHERE), until)
            for key, until in pinned.items()
        }
        broken = broken_by(self.engine, table, compiled, written, windows)
        if broken:
            table = resolved_again(self.engine, table)
            if table != attempt.table:
                self.engine.describe(table)
                self.catalog.update(table)
            attempt, compiled = replace(attempt, table=table), compile_table(table)
        decision = choose(
            table.refresh_mode, compiled.refusal, is_full_asked=is_full_asked, broken=broken
        )
        is_moved = any(window.since != window.until for window in windows.values())
        if not is_moved and not must_run(decision, is_full_asked):
            return self._noted(attempt.nothing("NO_CHANGE", frontier))
        self.observe("open")
        ahead = Frontier(frontier.number + 1, pinned, attempt.started_at)
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
            decision = decision or choose_by_size(sum(changed.values()), work.source_rows)
        self.observe("derive")
        changes = self._changes(attempt.table, compiled, work, decision)
        is_stateful = decision.action is Action.INCREMENTAL and compiled.algebra is not None
        if is_stateful:
            self.observe("keep")
            work.keep(ahead)
        self.observe("commit")
        is_due = decision.action is Action.REINITIALIZE
        committed = work.commit(changes, ahead, is_due=is_due)
        self.observe("committed")
        if compiled.algebra is not None and not is_stateful:
            work.keep(ahead)
        taken_in = ahead if committed.version is not None else as_before
        return self._noted(attempt.done(decision, committed, taken_in, work.measures()))

    def _changes(
        self, table: StreamTable, compiled: Compiled, work: Work[Any], decision: Decision
    ) -> Changes:
        if decision.action is not Action.INCREMENTAL:
            whole: Changes = work.recompute()
            return whole
        assert compiled.plan is not None
        fields = [column.name for column in table.columns]
        touched = frozenset(work.changed_rows())
        types = work.state_types()
        if compiled.algebra is not None and types is not None:
            algebra = compiled.algebra
            items = algebra.items(types)
            delta = derive_with_state(compiled.plan, touched, fields, algebra.moved, items)
        else:
            delta = derive(compiled.plan, touched, fields)
        assert delta is not None, "a source that changed is a source that the plan reads"
        change: Changes = work.derive(delta)
        return change

    def _pinned(self, attempt: Attempt, compiled: Compiled) -> dict[str, Position]:
        """The newest position of each source, the clock among them where the query reads it."""
        clock = {CLOCK: Position.of_clock(attempt.started_at)} if compiled.reads_clock else {}
        return {**self.engine.pin(attempt.table.sources), **clock}

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
        frontier = self._recovered(attempt.table, self.engine.written(attempt.table))
        return self._noted(attempt.nothing("ALREADY_REFRESHED", frontier))

    def _noted(self, refresh: Refresh) -> Refresh:
        self.observe("note")
        self.catalog.note(refresh)
        return refresh
