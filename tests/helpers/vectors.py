"""A lake without rows: a base table is its version, a stream table the versions of the base tables that it shows.

A stream table whose sources show one base table at two versions has mixed moments, and one may go back: both are noted.
So orders of refreshes can be tried by the thousand, without Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from streamtables.catalog.memory import MemoryCatalog
from streamtables.model import (
    Column,
    Committed,
    Frontier,
    Position,
    RefreshMode,
    Source,
    SourceKind,
    StreamTable,
    TableName,
    Window,
    Written,
)
from streamtables.refresh.run import Refresher

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.delta import Delta
    from streamtables.sql.compile import Compiled

Vector = Mapping[str, int]
COLUMNS = (Column("x", "int"),)


def stream_table(name: str, *reads: str, **rest: Any) -> StreamTable:
    """A definition that joins what it reads."""
    sources = tuple(Source(TableName((read,)), SourceKind.DELTA, COLUMNS) for read in reads)
    first, *others = reads
    joins = "".join(f" JOIN {other} ON {other}.x = {first}.x" for other in others)
    return StreamTable(
        id=name,
        name=TableName((name,)),
        query=f"SELECT {first}.x FROM {first}{joins}",
        schedule=rest.pop("schedule", None),
        refresh_mode=RefreshMode.AUTO,
        columns=COLUMNS,
        sources=sources,
        fingerprint="",
        generation=1,
        created_at=datetime(2026, 1, 1, tzinfo=timezone.utc),
        **rest,
    )


class VectorLake:
    """The engine of such a lake."""

    def __init__(self, bases: Sequence[str]) -> None:
        self.shown: dict[str, list[Vector]] = {f"`{base}`": [{base: 0}] for base in bases}
        self.stamps: dict[str, list[Frontier]] = {}
        self.mixed: list[tuple[str, Vector, Vector]] = []
        self.failing: dict[str, Exception] = {}
        self.rows = 1

    def refresher(
        self, tables: Sequence[StreamTable], observe: Callable[[str], None] = lambda _: None
    ) -> Refresher:
        """A refresher of these tables, which stand at the beginning."""
        catalog = MemoryCatalog()
        for table in tables:
            catalog.add(table)
            key = table.name.key
            positions = self.pin(table.sources)
            self.shown[key] = [self._joined(key, positions)]
            self.stamps[key] = [Frontier(1, positions)]
        return Refresher(self, catalog, lambda _: nullcontext(), observe)

    def write(self, base: str) -> None:
        """A commit on a base table."""
        versions = self.shown[f"`{base}`"]
        versions.append({base: len(versions)})

    def vector(self, name: str) -> Vector:
        """What a table shows."""
        return self.shown[f"`{name}`"][-1]

    def pin(self, sources: Sequence[Source]) -> dict[str, Position]:
        keys = [source.name.key for source in sources]
        return {key: Position(key, len(self.shown[key]) - 1, "") for key in keys}

    def written(self, table: StreamTable) -> Written | None:
        stamps = self.stamps[table.name.key]
        return Written(len(stamps) - 1, stamps[-1], is_foreign=False)

    def is_transient(self, error: Exception) -> bool:
        return isinstance(error, OSError)

    def is_alive(self) -> bool:
        return True

    def broken(self, *_: object) -> None:
        return None

    def view(self, _: TableName) -> None:
        return None

    @contextmanager
    def work(
        self, table: StreamTable, compiled: Compiled, windows: Mapping[str, Window]
    ) -> Iterator[_Work]:
        if error := self.failing.get(table.name.key):
            raise error
        yield _Work(self, table, windows)

    def _joined(self, key: str, positions: Mapping[str, Position]) -> Vector:
        joined: dict[str, int] = {}
        for source, position in positions.items():
            shown = self.shown[source][position.version]
            for base, version in shown.items():
                if joined.setdefault(base, version) != version:
                    self.mixed.append((key, joined, shown))
        return joined

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a refresh asks for {name}")


class Shown(dict[str, int]):
    """The versions that a table is to show, as a change of one row."""

    rows_inserted = rows_deleted = 1


class _Work:
    def __init__(self, lake: VectorLake, table: StreamTable, windows: Mapping[str, Window]) -> None:
        self._lake, self._key, self._windows = lake, table.name.key, windows

    def changed_rows(self) -> dict[str, int]:
        return {key: 1 for key, window in self._windows.items() if window.since != window.until}

    def sizes(self) -> tuple[dict[str, int], int]:
        return dict.fromkeys(self._windows, 1), self._lake.rows

    def derive(self, _: object) -> Shown:
        positions = {key: window.until for key, window in self._windows.items()}
        return Shown(self._lake._joined(self._key, positions))

    def follow(self, delta: Delta) -> None:
        raise AssertionError("nothing is kept")

    def recompute(self) -> Shown:
        return self.derive(None)

    def tallies(self) -> tuple[()]:
        return ()

    def state_types(self) -> None:
        return None

    def keep(self, _: Frontier) -> None:
        return None

    def measures(self) -> dict[str, float]:
        return {}

    def commit(self, changes: Shown, frontier: Frontier, *, is_due: bool = False) -> Committed:
        lake, key = self._lake, self._key
        if changes == lake.shown[key][-1] and not is_due:
            return Committed(None, 0, 0)
        if any(version < lake.shown[key][-1].get(base, 0) for base, version in changes.items()):
            lake.mixed.append((key, lake.shown[key][-1], changes))
        lake.shown[key].append(changes)
        lake.stamps[key].append(frontier)
        return Committed(len(lake.shown[key]) - 1, 1, 1)
