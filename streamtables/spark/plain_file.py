"""A Parquet file with plain columns, read on the driver: all its rows, or a few of them.

To find a few rows all are decoded, a part of the file at a time: so memory stays small, and is used again. What is
asked for again and again is kept (columns.py).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streamtables.spark import columns
from streamtables.spark.bitmaps import NONE
from streamtables.spark.plain import NotPlain, any_between, cast, unsigned_zero
from streamtables.spark.whole import of_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamtables.spark.bitmaps import Numbers

_ROWS_AT_ONCE, _SMALL_BYTES = 500_000, 2**20


class PlainFile:
    """A file, whose columns go by the names and types that `fields` gives to what is stored."""

    def __init__(self, path: Path, fields: Mapping[str, tuple[str, pa.DataType]]) -> None:
        self._fields = fields
        found = path.stat()
        self._path, self._size = path, found.st_size
        self._mark = (str(path), found.st_size, found.st_mtime_ns)

    @cached_property
    def _file(self) -> pq.ParquetFile:
        """The file, opened for what is not kept of it."""
        file = pq.ParquetFile(self._path, coerce_int96_timestamp_unit="us")
        if missing := {name for name, _ in self._fields.values()} - set(file.schema_arrow.names):
            raise NotPlain(", ".join(missing))
        return file

    def all(self) -> pa.Table:
        """Every row."""
        names = list(self._fields)
        return self._given(self._file.read(self._stored(names)), names)

    def take(self, names: Sequence[str], numbers: Numbers) -> pa.Table:
        """Some columns of the rows with these numbers, which ascend."""
        kept = {name: self._kept(name, in_order=False) for name in names} if len(numbers) else {}
        wanted = pa.array(numbers, pa.int64())
        found = {
            name: of_whole(rows.column(0).take(wanted), self._fields[name][1])
            for name, rows in kept.items()
            if rows is not None
        }
        if rest := [name for name in names if name not in found]:
            read = self._decoded(rest, numbers)
            found |= dict(zip(rest, read.columns, strict=True))
        return pa.table({name: found[name] for name in names})

    def _decoded(self, names: Sequence[str], numbers: Numbers) -> pa.Table:
        parts = [self._file.schema_arrow.empty_table().select(self._stored(names))]
        for group, first, end in self._groups():
            if not len(_between(numbers, first, end)):
                continue
            for start, rows in self._batches(names, group, first):
                wanted = _between(numbers, start, start + rows.num_rows) - start
                parts.append(rows.take(pa.array(wanted, pa.int64())))
        return self._given(pa.concat_tables(parts), names)

    def find(
        self, name: str, values: pa.ChunkedArray, most: int | None = None
    ) -> tuple[Numbers, pa.Table]:
        """The rows that have one of the values in a column: their numbers, and the column.

        Row groups without any are passed over by what Parquet says of them. More than `most` rows are Spark's.
        """
        kind = self._fields[name][1]
        wanted = unsigned_zero(values.combine_chunks().cast(kind))
        ordered = self._kept(name, in_order=True) if columns.can_be_ordered(kind) else None
        if ordered is not None:
            found, column = columns.found_in(ordered, wanted)
            _require_few(len(found), most)
            return found, pa.table({name: column})
        numbers, parts, count = [NONE], [self.take([name], NONE)], 0
        for group, first, _ in self._groups():
            if not self._may_hold(group, name, values):
                continue
            for start, rows in self._batches([name], group, first):
                column = self._given(rows, [name])
                is_wanted = pc.is_in(unsigned_zero(column.column(0)), wanted)
                places = pc.indices_nonzero(is_wanted)
                count += len(places)
                _require_few(count, most)
                numbers.append(start + places.to_numpy().astype(np.int64))
                parts.append(column.take(places))
        return np.concatenate(numbers), pa.concat_tables(parts)

    def is_quick(self, found_by: str) -> bool:
        """Whether little has to be decoded to find rows by a column and take the others."""
        if self._size <= _SMALL_BYTES:
            return True
        keys = (self._key(name, in_order=name == found_by) for name in self._fields)
        return all(columns.KEPT.held(key) is not None for key in keys)

    def _key(self, name: str, *, in_order: bool) -> tuple[object, ...]:
        return (self._mark, *self._fields[name], in_order)

    def _kept(self, name: str, *, in_order: bool) -> pa.Table | None:
        """A column that was read before, in order or as it lies."""

        def made() -> pa.Table:
            rows = self._given(self._file.read(self._stored([name])), [name])
            column = rows.column(0)
            if in_order:
                return columns.in_order(column)
            return pa.table({name: columns.narrow(column)})

        # Of a small file all is decoded at each look: it may as well be kept.
        times = 1 if self._size <= _SMALL_BYTES else columns.TIMES
        return columns.KEPT.get(self._key(name, in_order=in_order), made, times)

    def _groups(self) -> Iterator[tuple[int, int, int]]:
        """The row groups, the first row of each, and that after its last."""
        first = 0
        for group in range(self._file.num_row_groups):
            end = first + self._file.metadata.row_group(group).num_rows
            yield group, first, end
            first = end

    def _batches(
        self, names: Sequence[str], group: int, first: int
    ) -> Iterator[tuple[int, pa.Table]]:
        """Columns of a row group as they are stored, a part at a time with the number of its first row."""
        for rows in self._file.iter_batches(_ROWS_AT_ONCE, [group], self._stored(names)):
            yield first, pa.Table.from_batches([rows])
            first += rows.num_rows

    def _stored(self, names: Sequence[str]) -> list[str]:
        return [self._fields[name][0] for name in names]

    def _given(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        """Stored columns under the names and types that Spark gives them."""
        fields = [self._fields[name] for name in names]
        arrays = [cast(rows.column(stored), kind) for stored, kind in fields]
        return pa.table(dict(zip(names, arrays, strict=True)))

    def _may_hold(self, group: int, name: str, values: pa.ChunkedArray) -> bool:
        """Whether a row group can hold some of the values, by the ends that Parquet keeps of whole numbers."""
        row_group, names = self._file.metadata.row_group(group), self._file.schema_arrow.names
        # Where columns are nested, leaves have other numbers than columns.
        if row_group.num_columns != len(names):
            return True
        ends = row_group.column(names.index(self._fields[name][0])).statistics
        is_told = ends is not None and ends.has_min_max
        return not is_told or any_between(values, ends.min, ends.max)


def _between(numbers: Numbers, first: int, end: int) -> Numbers:
    return numbers[slice(*np.searchsorted(numbers, (first, end)))]


def _require_few(rows: int, most: int | None) -> None:
    if most is not None and rows > most:
        raise NotPlain(f"more than {most} rows")
