"""What applying a project would do: its files against the registry.

An unchanged project is told from text alone. A lake is asked only of what is new: a query's columns, and whether it
can be maintained.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from streamtables.checks import told_change
from streamtables.errors import StreamTablesError
from streamtables.model import RefreshMode, Source, SourceKind, StreamTable, TableName
from streamtables.project.files import read_project
from streamtables.project.select import select
from streamtables.project.steps import Change, Planned, ProjectPlan, Step, is_same_query
from streamtables.refresh.define import define, redefine, resolved_again
from streamtables.refresh.graph import in_order_of
from streamtables.sql.compile import compile_table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from streamtables.model import Column
    from streamtables.project.files import Declared
    from streamtables.refresh.engine import Engine
    from streamtables.sql.compile import Compiled


def plan_folder(
    folder: Path,
    tables: Sequence[StreamTable],
    filled: Collection[str],
    engine: Callable[[], Engine],
    terms: str | None = None,
    *,
    drop: bool = False,
    owned: Collection[str] | None = None,
) -> ProjectPlan:
    """The plan of the project in a folder, or of the tables in it that a selection names."""
    found = plan_project(read_project(folder), tables, filled, engine, drop=drop, owned=owned)
    return select(found, terms) if terms else found


def plan_project(
    declared: Sequence[Declared],
    tables: Sequence[StreamTable],
    filled: Collection[str],
    engine: Callable[[], Engine],
    *,
    drop: bool = False,
    owned: Collection[str] | None = None,
) -> ProjectPlan:
    """Compare a project's files with the registry's tables, of which those with an id in `filled` hold an answer.

    `engine` is called when something is new; `drop` removes tables that no file declares any more: those with an id in
    `owned`, which files of this project declared once. All others, made by hand or by another project, are left alone.
    """
    planner = _Planner(
        files={one.name.key: one for one in declared},
        tables={table.name.key: table for table in tables},
        filled=filled,
        engine=engine,
    )
    order = in_order_of({key: set(planner.reads(key)) for key in planner.keys})
    for key in order:
        planner.done[key] = planner.step(key)
    left = [key for key in reversed(order) if key not in planner.files]
    own = [key for key in left if owned is None or planner.tables[key].id in owned]
    gone = [planner.removed(key, drop=drop) for key in own]
    return ProjectPlan((*(planner.done[key] for key in order if key in planner.files), *gone))


@dataclass
class _Planner:
    files: dict[str, Declared]
    tables: dict[str, StreamTable]
    filled: Collection[str]
    engine: Callable[[], Engine]
    done: dict[str, Planned] = field(default_factory=dict)
    future: dict[str, StreamTable] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return [*self.files, *(key for key in self.tables if key not in self.files)]

    def reads(self, key: str) -> frozenset[str]:
        """The tables of the plan that one reads, also through views where the registry knows of them."""
        file, table = self.files.get(key), self.tables.get(key)
        found = {name.key for name in file.reads} if file else set()
        if table and (file is None or is_same_query(file.query, table.query)):
            found |= {source.name.key for source in table.sources}
        return frozenset(found & set(self.keys)) - {key}

    def step(self, key: str) -> Planned:
        file, table = self.files.get(key), self.tables.get(key)
        if file is None:
            assert table is not None
            self.future[key] = table
            return Planned(table.name, Change.UNCHANGED, Step.NOTHING, "", table=table)
        try:
            self._require_sound(file)
            step = self._added(file) if table is None else self._known(file, table)
        except StreamTablesError as error:
            is_same = table is not None and is_same_query(file.query, table.query)
            change = Change.AFFECTED if is_same else Change.CHANGED if table else Change.ADDED
            step = Planned(file.name, change, Step.NOTHING, "", error=file.located(error))
        return replace(step, declared=file, table=table, reads=self.reads(key))

    def removed(self, key: str, *, drop: bool) -> Planned:
        table = self.tables[key]
        readers = [str(step.name) for step in self.done.values() if key in step.reads]
        if not drop:
            why = "no file declares it; --drop removes it with its rows"
            return Planned(table.name, Change.REMOVED, Step.NOTHING, why, table=table)
        error = None
        if readers:
            message = f"{table.name} is in no file, and {', '.join(readers)} reads it"
            error = StreamTablesError(message, hint="Declare it again, or change what reads it.")
        why = "no file declares it"
        return Planned(table.name, Change.REMOVED, Step.DROP, why, error, table=table)

    def _require_sound(self, file: Declared) -> None:
        for key in sorted(self.reads(file.name.key)):
            if self.done[key].error:
                raise StreamTablesError(
                    f"{file.name} reads {self.done[key].name}, which is refused",
                    hint="Correct that one first.",
                )

    def _added(self, file: Declared) -> Planned:
        mode = file.refresh_mode.value
        new = define(self._lake(), file.name, file.query, file.schedule, mode, file.checks)
        self.future[file.name.key] = new
        return Planned(file.name, Change.ADDED, Step.CREATE, f"new; {_from_then_on(new)}")

    def _known(self, file: Declared, table: StreamTable) -> Planned:
        if not is_same_query(file.query, table.query) or file.checks != table.checks:
            return self._changed(file, table)
        settings = _settings(file, table)
        new = replace(table, schedule=file.schedule, refresh_mode=file.refresh_mode)
        if file.refresh_mode is RefreshMode.INCREMENTAL and (refusal := compile_table(new).refusal):
            raise refusal
        self.future[file.name.key] = new
        if table.id not in self.filled:
            why = "its last rebuild did not end"
            return Planned(file.name, Change.UNCHANGED, Step.REBUILD, why)
        moved = [self.done[key] for key in sorted(self.reads(file.name.key)) if self._moves(key)]
        if moved:
            return self._affected(file, new, moved, settings)
        if settings:
            return Planned(file.name, Change.CHANGED, Step.SETTINGS, settings)
        why = "as applied" if file.query == table.query else "only spacing or comments changed"
        return Planned(file.name, Change.UNCHANGED, Step.NOTHING, why)

    def _moves(self, key: str) -> bool:
        """Whether applying moves rows of a table."""
        return self.done[key].step not in (Step.NOTHING, Step.SETTINGS)

    def _changed(self, file: Declared, table: StreamTable) -> Planned:
        lake, query = self._lake(), file.query
        new = redefine(lake, table, query, file.schedule, file.refresh_mode, file.checks)
        self.future[file.name.key] = new
        why = [
            "" if is_same_query(query, table.query) else "the query changed",
            told_change(table.checks, file.checks),
            _columns(table.columns, new.columns),
            _settings(file, table),
            _from_then_on(new),
        ]
        return Planned(file.name, Change.CHANGED, Step.REBUILD, "; ".join(filter(None, why)))

    def _affected(
        self, file: Declared, new: StreamTable, moved: Sequence[Planned], settings: str
    ) -> Planned:
        names = ", ".join(str(step.name) for step in moved)
        later = resolved_again(self._lake(), new)
        self.future[file.name.key] = later
        if _used(later) != _used(new):
            step, why = Step.REBUILD, f"columns that it reads of {names} change"
        elif new.refresh_mode is RefreshMode.FULL or compile_table(later).refusal:
            step, why = Step.FULL, f"reads {names}; {_from_then_on(later)}"
        else:
            step, why = Step.INCREMENTAL, f"reads {names}, whose change is taken in"
        change = Change.CHANGED if settings else Change.AFFECTED
        return Planned(file.name, change, step, "; ".join(filter(None, (settings, why))))

    def _lake(self) -> Engine:
        return cast("Engine", _Ahead(self.engine(), self.future))


@dataclass(frozen=True)
class _Ahead:
    """A lake as it will be when the steps before have been taken."""

    engine: Engine
    future: dict[str, StreamTable]

    def source(self, name: TableName) -> Source:
        table = self.future.get(name.with_schema.key)
        if table is None:
            return self.engine.source(name)
        return Source(table.name, SourceKind.DELTA, table.columns)

    def view(self, name: TableName) -> str | None:
        return None if name.with_schema.key in self.future else self.engine.view(name)

    def resolve(self, name: TableName) -> TableName:
        return self.engine.resolve(name)

    def analyze(self, compiled: Compiled) -> tuple[Column, ...]:
        return self.engine.analyze(compiled)


def _settings(file: Declared, table: StreamTable) -> str:
    pairs = (
        ("schedule", table.schedule, file.schedule),
        ("refresh_mode", table.refresh_mode.value, file.refresh_mode.value),
    )
    return "; ".join(f"{name} {old} → {new}" for name, old, new in pairs if old != new)


def _columns(old: Sequence[Column], new: Sequence[Column]) -> str:
    gone = [f"-{column.name} {column.type}" for column in old if column not in new]
    come = [f"+{column.name} {column.type}" for column in new if column not in old]
    if gone or come:
        return f"columns {', '.join([*gone, *come])}"
    return "its columns change places" if tuple(old) != tuple(new) else ""


def _from_then_on(table: StreamTable) -> str:
    if table.refresh_mode is RefreshMode.FULL:
        return "recomputed at each refresh, as its refresh_mode says"
    refusal = compile_table(table).refusal
    if refusal:
        return f"recomputed at each refresh: {refusal.reason}: {refusal.message}"
    return "incremental from then on"


def _used(table: StreamTable) -> set[tuple[str, str, str]]:
    """The columns of the sources that a query reads, with their types."""
    used = compile_table(table).columns_used()
    return {
        (source.name.key, column.name, column.type)
        for source in table.sources
        for column in source.columns
        if column.name in used[source.name.key]
    }
