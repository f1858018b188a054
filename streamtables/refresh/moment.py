"""A moment of the base tables, at which all tables of a graph are refreshed.

    moment = one position of every base table, pinned once, for all tables of the graph
    a stream table stands at the moment when it is its query at these positions
    who reads a stream table, reads it at the version that it had when it was brought to the moment

So the two arms of a diamond never show different moments to the table that joins them, whatever is written meanwhile.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from streamtables.model import CLOCK, Frontier, Position, Source, SourceKind
from streamtables.refresh.graph import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from streamtables.model import StreamTable
    from streamtables.refresh.engine import Engine


class MomentPassed(Exception):
    """Somebody else has brought a table beyond the moment: the graph needs a later one."""


class Moment:
    """Pinned when the first table asks for it, under that table's lock, so that it is as late as can be."""

    def __init__(
        self,
        engine: Engine,
        now: Callable[[], datetime],
        tables: Sequence[StreamTable],
        others: Sequence[StreamTable],
    ) -> None:
        """A moment for `tables`, each after those it reads; `others` stay where they are."""
        self._engine, self._now = engine, now
        self._keys = {table.name.key for table in tables}
        self._others = {table.name.key for table in others} - self._keys
        self._read = {key for table in tables for key in reads(table) & self._keys}
        sources = {source.name.key: source for table in tables for source in table.sources}
        self._bases = [source for key, source in sources.items() if key not in self._keys]
        self._lock = threading.Lock()
        self._at: datetime | None = None
        self._pinned: dict[str, Position] = {}
        self._lost: dict[str, Exception] = {}
        self._reached: dict[str, tuple[Position, Mapping[str, Position]]] = {}

    def frontier(self, table: StreamTable, number: int, *, reads_clock: bool) -> Frontier:
        """Where a table is to stand, once those that it reads stand there."""
        at = self._pin(table.sources)
        positions, bases = {}, {}
        for source in table.sources:
            key = source.name.key
            if key in self._lost:
                raise self._lost[key]
            if key in self._pinned:
                positions[key] = bases[key] = self._pinned[key]
            elif key in self._reached:
                positions[key], behind = self._reached[key]
                bases.update(behind)
            else:
                raise MomentPassed(f"{table.name} was altered and reads {source.name} now")
        if reads_clock:
            positions[CLOCK] = bases[CLOCK] = Position.of_clock(at)
        is_over_others = not self._reached.keys().isdisjoint(positions)
        return Frontier(number, positions, at, bases if is_over_others else {})

    def require_ahead(self, table: StreamTable, since: Frontier, until: Frontier) -> None:
        """Refuse to go back, unless the source itself went back: no later moment would cure that."""
        sources = {source.name.key: source for source in table.sources}
        for key, wanted in until.positions.items():
            stands = since.positions.get(key)
            if stands is None or not _is_before(wanted, stands):
                continue
            newest = (
                Position.of_clock(self._now())
                if key == CLOCK
                else self._engine.pin([sources[key]])[key]
            )
            if not _is_before(newest, stands):
                raise MomentPassed(f"{table.name} has taken in version {stands.version} of {key}")

    def reach(self, table: StreamTable, frontier: Frontier) -> None:
        """A table stands at the moment; to be told while its lock is held."""
        if self.is_read(table):
            itself = Source(table.name, SourceKind.DELTA, table.columns)
            position = self._engine.pin([itself])[table.name.key]
            self._reached[table.name.key] = position, frontier.bases or frontier.positions

    def is_read(self, table: StreamTable) -> bool:
        """Whether another table of the graph reads this one."""
        return table.name.key in self._read

    def _pin(self, sources: Sequence[Source]) -> datetime:
        """Pin all base tables, and those of the sources that the graph did not know to read."""
        with self._lock:
            new = [] if self._at else self._bases
            self._at = self._at or self._now()
            known = {*self._pinned, *self._lost, *self._keys, *self._others}
            known |= {source.name.key for source in new}
            for source in [*new, *(source for source in sources if source.name.key not in known)]:
                try:
                    self._pinned.update(self._engine.pin([source]))
                except Exception as error:  # noqa: BLE001 raised to those tables that read the source
                    self._lost[source.name.key] = error
            return self._at


def _is_before(one: Position, other: Position) -> bool:
    return one.table_id == other.table_id and one.version < other.version
