"""What is wrong or about to go wrong with the stream tables and their sources.

error    a table is not kept fresh
warning  it will not be, or a refresh will have to begin anew, unless somebody acts
note     it could cost less
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from streamtables.catalog.status import failing_rows
from streamtables.errors import StreamTablesError
from streamtables.model import Action, Source, SourceKind, Status, Window
from streamtables.schedule import parse_schedule
from streamtables.sql.compile import compile_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamtables.catalog.base import CatalogReader
    from streamtables.config import DoctorSettings
    from streamtables.model import Condition, Frontier, StreamTable
    from streamtables.refresh.engine import Engine

Level = Literal["error", "warning", "note"]

# Code: its level, and what to do.
FINDINGS: dict[str, tuple[Level, str]] = {
    "SUSPENDED": ("error", "Cure what the message says, then resume it."),
    "FAILING": ("error", "See its history; it is tried again at its schedule."),
    "ROWS_FAIL_CHECK": ("warning", "See where these rows come from; history counts them."),
    "TABLE_MISSING": ("error", "Restore the table, or drop it with streamtables."),
    "UNREADABLE": ("error", "Give this user access, or restore the table."),
    "NOT_WRITABLE": ("error", "Give this user the right to write there."),
    "HISTORY_LOST": ("warning", "The next refresh begins anew: run it when there is time for it."),
    "HISTORY_ENDS_SOON": ("warning", "Refresh it now, or let the source keep its history longer."),
    "KEEPS_TOO_SHORT": ("warning", "Refresh more often, or let the source keep more history."),
    "RESULT_CHANGED": ("warning", "Write to sources only: the next refresh begins anew."),
    "NOT_REGISTERED": ("warning", "Register it with rebuild-registry, or drop the table."),
    "OUT_OF_STEP": ("note", "The next refresh sets the registry right."),
    "PAUSED": ("note", "Resume it when it shall be kept fresh again."),
    "NO_DELETION_VECTORS": ("note", "Set delta.enableDeletionVectors to true on the source."),
    "SMALL_FILES": ("note", "Run OPTIMIZE on it."),
    "MIRRORED": ("note", "Make it a Delta table: then only what changed is read."),
}


@dataclass(frozen=True)
class Finding:
    """One thing found: how bad it is, where, what, and what to do."""

    level: Level
    code: str
    name: str
    message: str
    hint: str


@dataclass(frozen=True)
class Headroom:
    """For how long a source keeps what a stream table has yet to take in."""

    name: str
    source: str
    taken_in: int
    newest: int
    seconds: float


@dataclass(frozen=True)
class Checkup:
    """Everything found; true where nothing is wrong, notes apart."""

    findings: tuple[Finding, ...]
    headroom: tuple[Headroom, ...]

    def __bool__(self) -> bool:
        return all(finding.level == "note" for finding in self.findings)

    def __str__(self) -> str:
        lines = (
            f"{one.level} {one.code} {one.name}: {one.message}. {one.hint}" for one in self.findings
        )
        return "\n".join(lines) or "Nothing was found"


def examine(
    engine: Engine,
    catalog: CatalogReader,
    carried: Sequence[StreamTable],
    settings: DoctorSettings,
    now: datetime | None = None,
) -> Checkup:
    """Look at every stream table; `carried` are those that the lake holds, registered or not."""
    doctor = _Doctor(engine, settings, now or datetime.now(timezone.utc))
    frontiers, tables = catalog.frontiers(), catalog.tables()
    for table in tables:
        last = next(iter(catalog.history(table.id, 1)), None)
        if last is not None and last.action is Action.FAILED:
            doctor.note("FAILING", table.name, f"its last refresh failed: {last.error}")
        for check, rows in failing_rows(catalog, table).items():
            if rows:
                told = f"of the rows that were last looked at, {rows:,} fail {check}"
                doctor.note("ROWS_FAIL_CHECK", table.name, told)
        doctor.look_at(table, frontiers.get(table.id))
    known = {table.name.key for table in tables}
    for table in carried:
        if table.name.key not in known:
            doctor.note(
                "NOT_REGISTERED", table.name, "the registry does not know this stream table"
            )
    return Checkup(tuple(dict.fromkeys(doctor.findings)), tuple(doctor.headroom))


class _Doctor:
    def __init__(self, engine: Engine, settings: DoctorSettings, now: datetime) -> None:
        self._engine, self._settings, self._now = engine, settings, now
        self.findings: list[Finding] = []
        self.headroom: list[Headroom] = []

    def note(self, code: str, name: object, message: str) -> None:
        level, hint = FINDINGS[code]
        self.findings.append(Finding(level, code, str(name), message, hint))

    def look_at(self, table: StreamTable, frontier: Frontier | None) -> None:
        if table.status is not Status.ACTIVE:
            why = f": {table.message}" if table.message else ""
            self.note(table.status.value, table.name, f"the scheduler leaves it out{why}")
        for code, message in self._of_result(table, frontier):
            self.note(code, table.name, message)
        for source in table.sources:
            if source.kind is SourceKind.MIRRORED:
                self.note("MIRRORED", source.name, "each refresh reads all of it, to compare")
                continue
            try:
                self._of_source(table, source, frontier)
            except StreamTablesError as error:
                self.note("UNREADABLE", source.name, f"{table.name} reads it: {error.message}")

    def _of_result(
        self, table: StreamTable, frontier: Frontier | None
    ) -> Iterator[tuple[str, str]]:
        try:
            written = self._engine.written(table)
            if written is None:
                yield "TABLE_MISSING", "there is no table with its answer"
                return
            condition = self._engine.condition(
                Source(table.name, SourceKind.DELTA, table.columns), None
            )
        except StreamTablesError as error:
            yield "UNREADABLE", error.message
            return
        if written.is_foreign:
            yield "RESULT_CHANGED", "somebody else has written to it"
        if frontier is None or frontier.number != written.frontier.number:
            stands = frontier.number if frontier else "none"
            yield (
                "OUT_OF_STEP",
                f"its last refresh is {written.frontier.number}, for the registry {stands}",
            )
        if condition.may_write is False:
            yield "NOT_WRITABLE", "this process may not write to it"
        yield from self._small_files(condition)

    def _of_source(self, table: StreamTable, source: Source, frontier: Frontier | None) -> None:
        key = source.name.key
        since = frontier.positions.get(key) if frontier else None
        condition = self._engine.condition(source, since)
        for code, message in self._small_files(condition):
            self.note(code, source.name, message)
        if not condition.has_deletion_vectors:
            feed = "and a change feed" if condition.has_feed else "and no change feed"
            text = f"it has no deletion vectors {feed}: an UPDATE or DELETE writes whole files anew"
            self.note("NO_DELETION_VECTORS", source.name, text)
        self._keeping(table, source, condition)
        if since is None:
            return
        used = compile_table(table).columns_used()[key]
        window = Window(since, self._engine.pin([source])[key])
        broken = self._engine.broken(source, window, used)
        if broken or condition.is_lost:
            why = broken[1] if broken else "files that changed since are gone"
            self.note(
                "HISTORY_LOST", table.name, f"{source.name}, which it reads, has changed: {why}"
            )
            return
        behind = condition.behind_since
        age_s = (self._now - behind).total_seconds() if behind else 0.0
        left_s = condition.keeps_s - age_s
        self.headroom.append(
            Headroom(str(table.name), str(source.name), since.version, condition.version, left_s)
        )
        if left_s < self._settings.headroom_share * condition.keeps_s:
            text = f"{source.name} keeps what it has yet to take in for {_time(left_s)} more"
            self.note("HISTORY_ENDS_SOON", table.name, text)

    def _keeping(self, table: StreamTable, source: Source, condition: Condition) -> None:
        kind, seconds = parse_schedule(table.schedule) or ("downstream", "")
        if kind == "duration" and float(seconds) > condition.keeps_s:
            text = f"it is refreshed every {_time(float(seconds))}, but {source.name} keeps history for "
            self.note("KEEPS_TOO_SHORT", table.name, f"{text}{_time(condition.keeps_s)}")

    def _small_files(self, condition: Condition) -> Iterator[tuple[str, str]]:
        count, size = condition.file_count, condition.size_bytes
        if count is None or size is None or count <= self._settings.small_files:
            return
        if size / count < self._settings.small_file_bytes:
            yield "SMALL_FILES", f"it lies in {count:,} files of {size // count:,} bytes on average"


def _time(seconds: float) -> str:
    """A time in its largest unit.

    >>> _time(7200), _time(-5)
    ('2.0 hours', '0.0 seconds')
    """
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{max(seconds, 0.0):.1f} seconds"
