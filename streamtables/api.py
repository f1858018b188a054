"""The verbs: wires registry, engine and refresher together, decides nothing."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamtables.catalog.base import PRIVATE, local_folder, table_named
from streamtables.catalog.lock import named_lock, table_lock
from streamtables.catalog.status import status_rows
from streamtables.checks import checks_of
from streamtables.config import load_settings
from streamtables.errors import (
    InUse,
    NameTaken,
    NotAStreamTable,
)
from streamtables.model import Action, Status, StreamTable, TableName
from streamtables.page.lineage import Lineage, lineage
from streamtables.page.tables import Rows
from streamtables.refresh.compact import Compaction, compact
from streamtables.refresh.define import define, mode_of, redefine
from streamtables.refresh.doctor import Checkup, examine
from streamtables.refresh.explain import explain
from streamtables.refresh.export import exported
from streamtables.refresh.fan_out import FanOut
from streamtables.refresh.graph import downstream, in_order
from streamtables.refresh.run import Refresher
from streamtables.refresh.verify import Verification, verify
from streamtables.sql.compile import compile_table
from streamtables.sql.statements import parse_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.checks import Expect
    from streamtables.config import DoctorSettings
    from streamtables.model import Refresh
    from streamtables.project.apply import Applied
    from streamtables.project.steps import ProjectPlan
    from streamtables.refresh.explained import Explanation

_UNCHANGED: Any = object()
_CORES = os.cpu_count() or 1


class StreamTables:
    """The stream tables of one warehouse."""

    def __init__(
        self,
        spark: SparkSession,
        warehouse: str = "./warehouse",
        *,
        registry: str | None = None,
        observe: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Open, or make, the registry of a warehouse; `registry` is a database URL if not the warehouse's own."""
        from streamtables.catalog.registry import Registry
        from streamtables.spark.remote.engine import engine_type
        from streamtables.spark.session import require

        self.spark = require(spark)
        folder = local_folder(warehouse)
        self.warehouse = str(folder) if folder else str(warehouse)
        self.catalog = Registry.open(self.warehouse, registry)
        mirrors = f"{self.warehouse}/{PRIVATE}/mirrors"
        self._lock_of = partial(named_lock, self.catalog, self.warehouse)
        make = engine_type(self.spark)
        self.engine = make(self.spark, self.warehouse, mirrors, self._lock_of)
        lock = partial(table_lock, self.catalog, self.warehouse)
        self.refresher = Refresher(self.engine, self.catalog, lock, observe)
        self.engine.register(self.catalog.paths())

    # --- making and changing ---------------------------------------------------------------------

    def create_stream_table(
        self,
        name: str,
        query: str,
        schedule: str | None = None,
        refresh_mode: str = "AUTO",
        expect: Expect = None,
    ) -> Refresh:
        """Make a stream table that holds the query's answer, and fill it.

        `expect` checks its rows: `{"positive": "amount > 0", "known": ("country IS NOT NULL", "DROP")}`.
        """
        table_name = self._full_name(name)
        if self.catalog.find(table_name) is not None:
            raise NameTaken(
                f"A stream table named {table_name} exists", hint="Choose another name."
            )
        table = define(self.engine, table_name, query, schedule, refresh_mode, checks_of(expect))
        in_order([*self.catalog.tables(), table])
        with self._lock_of(f"name {table_name.key}"):
            refresh = FanOut(self.refresher, _CORES).over_upstream(
                table, lambda moment: self.refresher.create(table, moment)
            )
        self._remember_paths(table)
        return refresh

    def alter_stream_table(
        self,
        name: str,
        *,
        query: str | None = None,
        schedule: str | None = _UNCHANGED,
        refresh_mode: str | None = None,
        expect: Expect = _UNCHANGED,
    ) -> Refresh | None:
        """Change a stream table's query, schedule, mode or checks; a new query or check refreshes it at once.

        Where that refresh fails, the table stays as it was.
        """
        changed = partial(
            self._redefined, query=query, schedule=schedule, mode=refresh_mode, expect=expect
        )
        old = self._table(name)
        new, refresh = FanOut(self.refresher, _CORES).over_upstream(
            changed(old), lambda moment: self.refresher.alter(old, changed, moment)
        )
        self._remember_paths(new)
        if refresh is not None or new.generation == old.generation:
            return refresh
        try:
            return self.refresh(name)
        except Exception:
            self.refresher.take_back(new, old)
            raise

    def preview_alter(
        self,
        name: str,
        *,
        query: str | None = None,
        schedule: str | None = _UNCHANGED,
        refresh_mode: str | None = None,
        expect: Expect = _UNCHANGED,
    ) -> Sequence[dict[str, object]]:
        """What altering a stream table would do to it and to those that read it; nothing is done."""
        from streamtables.project.preview import preview

        new = self._redefined(self._table(name), query, schedule, refresh_mode, expect)
        tables, filled = self.catalog.tables(), self.catalog.frontiers()
        return Rows(preview(new, tables, filled, self.engine))

    def drop_stream_table(self, name: str, cascade: bool = False) -> None:
        """Remove a stream table with its rows; refused while others read it, unless to `cascade`: then they go too."""
        table = self._table(name)
        found = downstream(table, self.catalog.tables())
        if found and not cascade:
            names = ", ".join(str(other.name) for other in found)
            raise InUse(f"{table.name} is read by {names}", hint="Drop those first, or cascade.")
        for gone in (*reversed(found), table):
            self.refresher.drop(gone)

    def pause(self, name: str) -> None:
        """Keep the scheduler from refreshing a stream table."""
        self.catalog.set_status(self._table(name).id, Status.PAUSED)

    def resume(self, name: str) -> None:
        """Let the scheduler refresh a stream table again."""
        self.catalog.set_status(self._table(name).id, Status.ACTIVE)

    # --- a project of SQL files ------------------------------------------------------------------

    def plan(
        self, folder: str | Path = ".", select: str | None = None, *, drop: bool = False
    ) -> ProjectPlan:
        """What applying a folder of SQL files would do; `drop` removes tables that its files declare no more."""
        from streamtables.project.owning import owned
        from streamtables.project.plan import plan_folder

        tables, filled, own = self.catalog.tables(), self.catalog.frontiers(), Path(folder)
        return plan_folder(
            own,
            tables,
            filled,
            lambda: self.engine,
            select,
            drop=drop,
            owned=owned(self.catalog, own),
        )

    def apply(
        self, folder: str | Path = ".", select: str | None = None, *, drop: bool = False
    ) -> Sequence[Applied]:
        """Make the stream tables as a folder of SQL files says; each is changed whole or not at all."""
        from streamtables.project.apply import apply_plan
        from streamtables.project.owning import take_on

        plan = self.plan(folder, select, drop=drop)
        done = tuple(apply_plan(plan, self))
        take_on(plan, self.catalog, Path(folder))
        return done

    # --- refreshing ------------------------------------------------------------------------------

    def refresh(self, name: str, *, full: bool = False) -> Refresh:
        """Refresh a stream table, and those that it reads, at one moment; `full` recomputes it."""
        asked = Action.FULL if full else None
        return FanOut(self.refresher, _CORES).refresh_one(self._table(name), asked)

    def reinitialize(self, name: str) -> Refresh:
        """Begin a stream table anew: resolve its sources again, recompute it, and let the scheduler have it."""
        table = self._table(name)
        done = FanOut(self.refresher, _CORES).refresh_one(table, Action.REINITIALIZE)
        self.catalog.set_status(table.id, Status.ACTIVE)
        return done

    def refresh_all(self, *, parallel: int | None = None) -> list[Refresh]:
        """Refresh every stream table that is not paused or suspended, all at one moment, some at once.

        A failure is a row, too: FAILED, and UPSTREAM_FAILED for those that read the table.
        """
        how = FanOut(self.refresher, parallel or _CORES, heeds_status=True)
        return [ended.refresh for ended in how.refresh(in_order).values()]

    def compact(self, name: str | None = None) -> list[Compaction]:
        """Write small files together: of one stream table, or of each that has many. No rows change."""
        tables = [self._table(name)] if name is not None else self.catalog.tables()
        return compact(self.refresher, tables, always=name is not None)

    # --- looking ---------------------------------------------------------------------------------

    def list(self) -> Sequence[StreamTable]:
        """The definitions of all stream tables, by name."""
        return self.catalog.tables()

    def is_stream_table(self, name: str) -> bool:
        """Whether a name is a stream table's."""
        return self.catalog.find(self._full_name(name)) is not None

    def explain(self, name: str) -> Explanation:
        """What a refresh does, step by step, and why."""
        table = self._table(name)
        frontier = self.catalog.frontier(table.id)
        kept = self.engine.state_types(table, compile_table(table), frontier) if frontier else None
        return explain(table, self.catalog.history(table.id), kept)

    def verify(self, name: str) -> Verification:
        """Compare a stream table with its query, run in full at what the table has taken in."""
        return verify(self._table(name), self.refresher, self.engine)

    def status(self) -> Sequence[dict[str, object]]:
        """One row per stream table: its state, its last refresh, how fresh it is."""
        return Rows(status_rows(self.catalog))

    def history(self, name: str, limit: int = 20) -> Sequence[Refresh]:
        """The last refreshes of a stream table, newest first."""
        return Rows(self.catalog.history(self._table(name).id, limit))

    def lineage(self, name: str | None = None) -> Lineage:
        """Who reads whom, and where each column comes from; with a name, around that stream table."""
        return lineage(self.catalog.tables(), str(self._table(name).name) if name else None)

    def export(self) -> dict[str, str]:
        """Each stream table's definition as a file of a project: its path and its text."""
        return exported(self.catalog.tables())

    def doctor(self, settings: DoctorSettings | None = None) -> Checkup:
        """Look for what is wrong or about to go wrong with the stream tables and their sources."""
        carried = self.engine.find()
        return examine(self.engine, self.catalog, carried, settings or load_settings().doctor)

    def changes(self, name: str, since: int | None = None, until: int | None = None) -> DataFrame:
        """The net change of a stream table between two of its versions: its rows, and `_weight` (+1 in, −1 out).

        Left out: `since` is the version before the last refresh that wrote, `until` is now.
        """
        table = self._table(name)
        if since is None:
            written = self.engine.written(table)
            since = max(written.version - 1, 0) if written else 0
        return self.engine.changes(table, since, until)

    def watch(self, name: str, every: float = 1.0) -> Iterator[tuple[int, DataFrame]]:
        """The net changes of a stream table from now on, each with its version: without end, looked for regularly."""
        begin = self.engine.version(self._table(name))

        def coming(since: int) -> Iterator[tuple[int, DataFrame]]:
            while True:
                until = self.engine.version(self._table(name))
                if until > since:
                    yield until, self.changes(name, since, until)
                    since = until
                else:
                    time.sleep(every)

        return coming(begin)

    def sql(self, text: str) -> Any:
        """Run a statement: one of ours calls its verb, anything else goes to Spark."""
        statement = parse_statement(text)
        if statement is None:
            return self.spark.sql(text)
        try:
            return getattr(self, statement.verb)(**statement.arguments)
        except (NameTaken, NotAStreamTable):
            if statement.is_quiet:
                return None
            raise

    def rebuild_registry(self) -> Sequence[str]:
        """Find the warehouse's stream tables by what they carry, and register those that are missing."""
        found = []
        for table in self.engine.find():
            if self.catalog.find(table.name) is None:
                self.catalog.add(table)
                found.append(str(table.name))
            if written := self.engine.written(table):
                self.catalog.set_frontier(table.id, written.frontier)
            self._remember_paths(table)
        return found

    def close(self) -> None:
        """Let go of the registry; the Spark session stays."""
        self.catalog.close()

    # --- inside ----------------------------------------------------------------------------------

    def _full_name(self, name: str) -> TableName:
        return self.engine.resolve(TableName.parse(name))

    def _table(self, name: str) -> StreamTable:
        return table_named(self.catalog, self._full_name(name))

    def _redefined(
        self,
        old: StreamTable,
        query: str | None,
        schedule: str | None,
        mode: str | None,
        expect: Expect,
    ) -> StreamTable:
        when = old.schedule if schedule is _UNCHANGED else schedule
        how = mode_of(mode) if mode else old.refresh_mode
        checks = None if expect is _UNCHANGED else checks_of(expect)
        new = redefine(self.engine, old, query, when, how, checks)
        in_order([*(other for other in self.catalog.tables() if other.id != old.id), new])
        return new

    def _remember_paths(self, table: StreamTable) -> None:
        for name in (table.name, *(source.name for source in table.sources)):
            if path := self.engine.path(name):
                self.catalog.remember_path(name, path)


def create_stream_table(
    name: str,
    query: str,
    schedule: str | None = None,
    refresh_mode: str = "AUTO",
    expect: Expect = None,
) -> Refresh:
    """Make a stream table in the active Spark session's warehouse."""
    from streamtables.spark.session import active_session

    spark, warehouse = active_session()
    st = StreamTables(spark, warehouse)
    return st.create_stream_table(name, query, schedule, refresh_mode, expect)
