"""Window functions on the driver: ranks, neighbours, and aggregates over frames, as Spark has them.

    sum over [lo, hi)    S(hi) − S(lo), S the sums of all rows before one, along partitions and their order; count alike
    min, max             of all from the partition's begin up to hi
    rank                 rows before the first that is equal, and one

Rows lie along partitions, and in their order within them. Ordered are whole numbers, DECIMALs, dates, moments, truths
and texts, which Arrow and Spark compare alike. A sum of nothing but NULL is NULL. Whatever else there is, is Spark's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamtables.plan.over import RANKS, SHIFTS, Over
from streamtables.spark.arithmetic import sum_type
from streamtables.spark.computed import number
from streamtables.spark.plain import is_plain
from streamtables.spark.whole import as_whole, of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamtables.plan.expr import Order
    from streamtables.plan.nodes import Window

    Numbers = NDArray[np.int64]

# Partitions are gone through one by one for the extremes up to each row; of more of them Spark is quicker.
_MOST_PARTITIONS = 50_000
# Each extreme, and what any value is better than.
_EXTREMES: dict[str, tuple[np.ufunc, int]] = {
    "min": (np.minimum, np.iinfo(np.int64).max),
    "max": (np.maximum, np.iinfo(np.int64).min),
}


def windowed(window: Window, rows: pa.Table) -> pa.Table | None:
    """The rows with what a window adds to them; None where that is for Spark."""
    laid: dict[tuple[Order, ...], _Laid] = {}
    found = rows
    for item in window.items:
        over = Over.of_expr(item.expr)
        names = [*window.keys, *(key.column for key in over.order)] if over else []
        if over is None or not all(is_plain(rows.column(name).type) for name in names):
            return None
        if over.order not in laid:
            laid[over.order] = _Laid.of(rows, window.keys, over.order)
        column = _computed(over, laid[over.order], rows)
        if column is None:
            return None
        found = found.append_column(item.name, column)
    return found


@dataclass(frozen=True)
class _Laid:
    """Rows along partitions and their order; of each in turn, where its partition and its equals begin and end."""

    places: Numbers
    begins: Numbers
    ends: Numbers
    equal_begins: Numbers
    equal_ends: Numbers

    @classmethod
    def of(cls, rows: pa.Table, keys: Sequence[str], order: Sequence[Order]) -> _Laid:
        places = np.arange(rows.num_rows)
        # Each sort leaves equal rows as they lie, so the last key goes first.
        for key in reversed(order):
            how = "descending" if key.is_descending else "ascending"
            nulls = "at_start" if key.is_null_first else "at_end"
            column = rows.column(key.column).take(pa.array(places))
            found = pc.array_sort_indices(column, order=how, null_placement=nulls)
            places = places[found.to_numpy()]
        groups = _codes(rows.select(list(keys)))[places]
        by_group = np.argsort(groups, kind="stable")
        places, groups = places[by_group], groups[by_group]
        equals = _codes(rows.select([key.column for key in order]))[places]
        is_new = np.diff(groups, prepend=-1) != 0
        begins, ends = _spans(is_new)
        return cls(places, begins, ends, *_spans(is_new | (np.diff(equals, prepend=-1) != 0)))

    def within(self, over: Over) -> tuple[Numbers, Numbers]:
        """Where the frame of each row begins and ends."""
        frame, here = over.frame, np.arange(len(self.places))
        first, last = frame.first, frame.last
        lows = here + (first or 0) if frame.is_by_rows else self.equal_begins
        highs = here + (last or 0) + 1 if frame.is_by_rows else self.equal_ends
        lows = self.begins if first is None else np.clip(lows, self.begins, self.ends)
        highs = self.ends if last is None else np.clip(highs, self.begins, self.ends)
        return lows, np.maximum(lows, highs)

    def back(self, found: NDArray[Any]) -> NDArray[Any]:
        """What was found along partitions, for the rows as they came."""
        given = np.empty_like(found)
        given[self.places] = found
        return given


def _codes(columns: pa.Table) -> Numbers:
    """A number for each row, the same for rows with the same values; NULL is one of them."""
    found = np.zeros(columns.num_rows, np.int64)
    for column in columns.columns:
        codes = pc.index_in(column, column.unique()).combine_chunks().to_numpy()
        _, found = np.unique(found * (len(column) + 1) + codes, return_inverse=True)
    return found


def _spans(is_new: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Of each row, where its span begins and ends."""
    begins = np.flatnonzero(is_new)
    sizes = np.diff(begins, append=len(is_new))
    return np.repeat(begins, sizes), np.repeat(begins + sizes, sizes)


def _computed(over: Over, laid: _Laid, rows: pa.Table) -> Any:
    if over.name in RANKS:
        return pa.array(laid.back(_ranks(over.name, laid)), pa.int32())
    if over.of is None:
        lows, highs = laid.within(over)
        return pa.array(laid.back(highs - lows))
    column = rows.column(over.of.column) if over.of.column else number(over.of, rows)
    if column is None or pa.types.is_null(column.type):
        return None
    if over.name in SHIFTS:
        return _shifted(over, laid, column)
    return _aggregated(over, laid, column)


def _ranks(name: str, laid: _Laid) -> Numbers:
    here = np.arange(len(laid.places))
    if name == "row_number":
        return here - laid.begins + 1
    if name == "rank":
        return laid.equal_begins - laid.begins + 1
    firsts: Numbers = np.cumsum(laid.equal_begins == here)
    return firsts - firsts[laid.begins] + 1


def _shifted(over: Over, laid: _Laid, column: Any) -> Any:
    """Of each row the value of the one so many before or after it."""
    away = np.arange(len(laid.places)) + (over.offset if over.name == "lead" else -over.offset)
    is_there = (away >= laid.begins) & (away < laid.ends)
    places = laid.places[np.where(is_there, away, 0)]
    return column.take(pa.array(laid.back(places), mask=~laid.back(is_there)))


def _aggregated(over: Over, laid: _Laid, column: Any) -> Any:
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    lows, highs = laid.within(over)
    is_known = column.is_valid().to_numpy()[laid.places]
    counts = _sums(is_known.astype(np.int64), lows, highs)
    if over.name == "count":
        return pa.array(laid.back(counts))
    kind = sum_type(column) if over.name == "sum" else column.type
    numbers = as_whole(column)
    if kind is None or numbers is None:
        return None
    values = pc.fill_null(numbers, 0).to_numpy().astype(np.int64)[laid.places]
    if over.name == "sum":
        largest = max(-int(values.min(initial=0)), int(values.max(initial=0)))
        if len(values) * largest >= 2**63:
            return None
        found = _sums(values, lows, highs)
    else:
        if over.frame.first is not None or len(np.unique(laid.begins)) > _MOST_PARTITIONS:
            return None
        extreme, worst = _EXTREMES[over.name]
        found = _up_to(extreme, np.where(is_known, values, worst), laid)[np.maximum(highs - 1, 0)]
    return of_whole(pa.array(laid.back(found), mask=laid.back(counts == 0)), kind)


def _sums(values: Numbers, lows: Numbers, highs: Numbers) -> Numbers:
    before: Numbers = np.concatenate([[0], np.cumsum(values)])
    return before[highs] - before[lows]


def _up_to(extreme: np.ufunc, values: Numbers, laid: _Laid) -> Numbers:
    """The extremes of each partition up to each row."""
    for begin in np.unique(laid.begins):
        part = slice(begin, laid.ends[begin])
        values[part] = extreme.accumulate(values[part])
    return values
