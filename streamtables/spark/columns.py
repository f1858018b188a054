"""Columns of files kept decoded while the process lives, those of large ones in files without names that are mapped.

    in order       a column's values sorted, each with the number of its row: a value is found in log₂ n looks
    as they lie    a column's values by row: a row is one look

Parquet is decoded from the beginning of a part to its end, however few of its rows are wanted. Files of Delta tables
never change, so a column that is asked for again and again is kept. What is looked at is in memory as the system sees
fit, the rest on disk, where it has no name and goes with the process.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamtables.spark.bitmaps import ascending
from streamtables.spark.whole import as_whole, of_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from streamtables.spark.bitmaps import Numbers

# Columns of smaller files lie in memory: they are decoded fast, but there are many of them.
LEAST_ROWS = 100_000
# A refresh asks twice, to read what is there and to find what goes; a process that refreshes once has no use for more.
TIMES = 3
# So much disk is used at most, and such a part of what is free; what nobody asks for is let go of, at a look by times.
_MOST_BYTES, _MOST_SHARE, _UNUSED_S, _LOOK_S = 16 * 2**30, 0.25, 1800.0, 60.0
_VALUE, _ROW = "value", "row"


@dataclass
class _Held:
    rows: pa.Table
    used: float


class Columns:
    """Kept columns, each by what tells it from others."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes, self._lock, self._is_full = most_bytes, Lock(), False
        self._looked, self._bytes = time.monotonic(), 0
        self._asked: dict[Hashable, tuple[int, float]] = {}
        self._held: dict[Hashable, _Held] = {}

    def held(self, key: Hashable) -> pa.Table | None:
        """What is kept under a key; None where nothing is."""
        with self._lock:
            now = time.monotonic()
            self._let_go(now)
            if key not in self._held:
                return None
            self._held[key].used = now
            return self._held[key].rows

    def get(
        self, key: Hashable, make: Callable[[], pa.Table], times: int = TIMES
    ) -> pa.Table | None:
        """The same, made when it is asked for so many times."""
        if (held := self.held(key)) is not None:
            return held
        with self._lock:
            now = time.monotonic()
            asked = self._asked.get(key, (0, now))[0] + 1
            self._asked[key] = asked, now
            if asked < times or self._is_full:
                return None
        made = make()
        with self._lock:
            free = shutil.disk_usage(tempfile.gettempdir()).free
            most = min(self._most_bytes, _MOST_SHARE * (free + self._bytes))
            if self._bytes + made.nbytes > most:
                self._is_full = True
                return made
            if key not in self._held:
                rows = _mapped(made) if made.num_rows >= LEAST_ROWS else made
                self._held[key], self._bytes = _Held(rows, now), self._bytes + rows.nbytes
            return self._held[key].rows

    def _let_go(self, now: float) -> None:
        if now - self._looked < _LOOK_S:
            return
        self._looked = now
        old = [key for key, held in self._held.items() if now - held.used > _UNUSED_S]
        self._bytes -= sum(self._held.pop(key).rows.nbytes for key in old)
        self._is_full = self._is_full and not old
        self._asked = {
            key: asked for key, asked in self._asked.items() if now - asked[1] <= _UNUSED_S
        }


def can_be_ordered(kind: pa.DataType) -> bool:
    """Whether values of a type are found by their order: whole numbers and dates."""
    return bool(pa.types.is_integer(kind) or pa.types.is_date32(kind))


def in_order(column: pa.ChunkedArray) -> pa.Table:
    """A column's values sorted, NULL last, with the numbers of their rows."""
    order = pc.sort_indices(column)
    return pa.table({_VALUE: narrow(column.take(order)), _ROW: order.cast(pa.int32())})


def narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values in 32 bits where they are whole numbers, or stand for such, that fit; of other types as they are."""
    numbers = as_whole(column)
    if numbers is None:
        return column
    ends = pc.min_max(numbers)
    least, most = ends["min"].as_py(), ends["max"].as_py()
    fits = least is None or (least >= -(2**31) and most < 2**31)
    return numbers.cast(pa.int32()) if fits else numbers


def found_in(ordered: pa.Table, values: pa.Array) -> tuple[Numbers, pa.Array]:
    """The rows of an ordered column that have one of some values: their numbers, which ascend, and the values."""
    column, rows = ordered.column(_VALUE), ordered.column(_ROW).to_numpy()
    valid = len(column) - column.null_count
    known = column.slice(0, valid).to_numpy()
    wanted = _between_ends(ascending(as_whole(values.drop_null()).to_numpy()), known)
    begins = np.searchsorted(known, wanted)
    # Most values are in another file: only of those that are here is it asked how often.
    is_here = known[begins] == wanted
    begins, wanted = begins[is_here], wanted[is_here]
    sizes = np.searchsorted(known, wanted, "right") - begins
    # Of each span its places one after the other: 0, 1, 2 … from where it begins.
    steps = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.repeat(begins, sizes) + steps
    found, missing = np.repeat(wanted, sizes), column.null_count if values.null_count else 0
    if missing:
        places = np.concatenate([places, np.arange(valid, len(column))])
        found = np.concatenate([found, np.zeros(missing, known.dtype)])
    order = np.argsort(rows[places])
    is_null = places[order] >= valid
    given = pa.array(found[order], mask=is_null if missing else None)
    return rows[places[order]].astype(np.int64), of_whole(given, values.type)


def _between_ends(wanted: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Those that may be among the known ones, in as many bits; both ascend."""
    if not len(known):
        return known
    first = np.searchsorted(wanted, known[0])
    end = np.searchsorted(wanted, known[-1], "right")
    return wanted[first:end].astype(known.dtype)


def _mapped(rows: pa.Table) -> pa.Table:
    """The same in a file that has no name any more."""
    descriptor, name = tempfile.mkstemp(prefix="streamtables-")
    os.close(descriptor)
    try:
        whole = rows.combine_chunks()
        with pa.OSFile(name, "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
            writer.write_table(whole)
        return pa.ipc.open_file(pa.memory_map(name)).read_all()
    finally:
        Path(name).unlink()


KEPT = Columns()
"""Those of this process."""
