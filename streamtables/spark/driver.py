"""Files of a local table read on the driver, without a Spark job.

A refresh reads little, and a Spark job costs more than reading a few files. What is read here is proved equal to what
Spark reads, by the same tests; whatever is not plain (nested types, other schemas, partitions, large files, other file
systems) is left to Spark.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streamtables.plan.nodes import WEIGHT
from streamtables.spark import vectors
from streamtables.spark.plain import NotPlain, cast, kind_of, unsigned_zero, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from streamtables.spark.actions import Metadata
    from streamtables.spark.log import DeltaLog

# So many values are read on the driver; more are Spark's.
MOST_VALUES = 50_000_000
_TAKEN = ("delete", "update_preimage")


def change(
    log: DeltaLog, metadata: Metadata, levels: Iterable[Any], names: Sequence[str]
) -> pa.Table | None:
    """The change that files added, removed and fed make, each row once; None where Spark has to read it."""
    if log.folder is None or not names:
        return None
    try:
        reader = Reader(log, log.folder, metadata, names)
        levels = list(levels)
        reader.require_small(file for level in levels for file in level.all)
        parts = [part for level in levels for part in reader.parts(level)]
    except (NotPlain, pa.ArrowException, OSError):
        return None
    if not parts:
        return None
    rows = pa.concat_tables(parts)
    summed = rows.group_by(list(names)).aggregate([(WEIGHT, "sum")])
    summed = summed.rename_columns([*names, WEIGHT]) if summed.column_names[0] in names else summed
    return summed.filter(pc.field(WEIGHT) != 0).combine_chunks()


class Reader:
    """Reads some columns of files as weighted rows."""

    def __init__(
        self, log: DeltaLog, folder: Path, metadata: Metadata, names: Sequence[str]
    ) -> None:
        self._log, self._folder, self._names = log, folder, list(names)
        fields = {field["name"].lower(): field for field in json.loads(metadata.schema)["fields"]}
        parts = {name.lower() for name in metadata.partition_columns}
        self._fields = []
        for name in names:
            field = fields.get(name.lower())
            if field is None or name.lower() in parts:
                raise NotPlain(name)
            known = (field.get("metadata") or {}).get("delta.columnMapping.physicalName")
            self._fields.append((known or field["name"], kind_of(field)))

    def require_small(self, files: Iterable[Mapping[str, Any]]) -> None:
        """Refuse more values than the driver should hold."""
        values = 0
        for file in files:
            held = json.loads(file.get("stats") or "{}").get("numRecords")
            # The feed's files have no statistics; their rows are few, and each takes some bytes.
            values += (held if held is not None else file["size"] // 4) * len(self._names)
        if values > MOST_VALUES:
            raise NotPlain(f"{values} values")

    def parts(self, level: Any) -> list[pa.Table]:
        """The weighted rows of one level of files, of a path at most one on each side."""
        added = {file["path"]: file for file in level.adds}
        removed = {file["path"]: file for file in level.removes}
        found = [self._moved(removed[path], added[path]) for path in added.keys() & removed.keys()]
        found += [self._whole(file, 1) for path, file in added.items() if path not in removed]
        found += [self._whole(file, -1) for path, file in removed.items() if path not in added]
        return [*found, *map(self._fed, level.feed)]

    def rows_near(
        self, file: Mapping[str, Any], name: str, values: pa.ChunkedArray
    ) -> Iterable[tuple[int, tuple[Any, ...]]]:
        """The rows of a file, not hidden, that have one of the values in a column: their numbers and values."""
        numbers, rows = self.near(file, name, values)
        return zip(numbers, values_of(rows), strict=True)

    def near(
        self, file: Mapping[str, Any], name: str, values: pa.ChunkedArray
    ) -> tuple[list[int], pa.Table]:
        """The rows of a file, not hidden, that have one of the values in a column, and their numbers.

        Row groups without any are passed over by what Parquet says of them, or when that column has been read.
        """
        opened, hidden = self._opened(file["path"]), self._hidden(file)
        rest = [other for other in self._names if other != name]
        numbers: list[int] = []
        parts: list[pa.Table] = []
        start = 0
        for group in range(opened.num_row_groups):
            first, start = start, start + opened.metadata.row_group(group).num_rows
            if not _may_hold(opened, group, self._field(name)[0], values):
                continue
            column = self._columns(opened, [name], [group]).column(name)
            wanted = unsigned_zero(values.combine_chunks().cast(column.type))
            is_near = pc.is_in(unsigned_zero(column), wanted)
            found = pc.indices_nonzero(is_near).to_pylist()
            if kept := [row for row in found if first + row not in hidden]:
                numbers += [first + row for row in kept]
                rows = {name: column.take(kept)}
                if rest:
                    more = self._columns(opened, rest, [group]).take(kept)
                    rows |= dict(zip(rest, more.columns, strict=True))
                parts.append(pa.table({other: rows[other] for other in self._names}))
        if not parts:
            return [], self._columns(opened, self._names, [])
        return numbers, pa.concat_tables(parts)

    def _moved(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> pa.Table:
        """A file of which other rows are hidden now than before."""
        before, after = self._hidden(old), self._hidden(new)
        rows = self._read(new["path"], sorted(before ^ after))
        weights = [1 if row in before else -1 for row in sorted(before ^ after)]
        return rows.append_column(WEIGHT, pa.array(weights, pa.int64()))

    def _whole(self, file: Mapping[str, Any], weight: int) -> pa.Table:
        rows = self._read(file["path"])
        if hidden := self._hidden(file):
            rows = rows.take([row for row in range(rows.num_rows) if row not in hidden])
        return rows.append_column(WEIGHT, _repeated(weight, rows.num_rows))

    def _fed(self, file: Mapping[str, Any]) -> pa.Table:
        rows = self._read(file["path"], more=("_change_type",))
        is_taken = pc.is_in(rows.column("_change_type"), pa.array(_TAKEN))
        weights = pc.if_else(is_taken, pa.scalar(-1, pa.int64()), pa.scalar(1, pa.int64()))
        return rows.select(self._names).append_column(WEIGHT, weights)

    def _hidden(self, file: Mapping[str, Any]) -> set[int]:
        vector = file.get("deletionVector")
        return vectors.hidden_rows(self._log.spark, self._log.path, vector) if vector else set()

    def _read(
        self, path: str, rows: Sequence[int] | None = None, more: Sequence[str] = ()
    ) -> pa.Table:
        opened = self._opened(path)
        if rows is None:
            return self._columns(opened, self._names, None, more)
        parts, start = [], 0
        for group in range(opened.num_row_groups):
            first, start = start, start + opened.metadata.row_group(group).num_rows
            if inside := [row - first for row in rows if first <= row < start]:
                parts.append(self._columns(opened, self._names, [group], more).take(inside))
        return pa.concat_tables(parts) if parts else self._columns(opened, self._names, [], more)

    def _opened(self, path: str) -> pq.ParquetFile:
        place = urlsplit(path)
        if place.scheme not in ("", "file"):
            raise NotPlain(path)
        return pq.ParquetFile(self._folder / unquote(place.path), coerce_int96_timestamp_unit="us")

    def _field(self, name: str) -> tuple[str, pa.DataType]:
        return self._fields[self._names.index(name)]

    def _columns(
        self,
        file: pq.ParquetFile,
        names: Sequence[str],
        groups: Sequence[int] | None,
        more: Sequence[str] = (),
    ) -> pa.Table:
        """Columns of some row groups, or of all, as Spark gives them."""
        fields = [self._field(name) for name in names]
        columns = [*(name for name, _ in fields), *more]
        if not set(columns) <= set(file.schema_arrow.names):
            raise NotPlain(str(columns))
        table = file.read(columns) if groups is None else file.read_row_groups(groups, columns)
        arrays = [cast(table.column(name), kind) for name, kind in fields]
        arrays += [table.column(name) for name in more]
        return pa.table(dict(zip([*names, *more], arrays, strict=True)))


def _may_hold(file: pq.ParquetFile, group: int, column: str, values: pa.ChunkedArray) -> bool:
    """Whether a row group can hold some of the values, by the ends that Parquet keeps of whole numbers."""
    row_group, names = file.metadata.row_group(group), file.schema_arrow.names
    # Where columns are nested, leaves have other numbers than columns.
    if values.null_count or row_group.num_columns != len(names):
        return True
    ends = row_group.column(names.index(column)).statistics if column in names else None
    if ends is None or not ends.has_min_max or not pa.types.is_integer(values.type):
        return True
    inside = pc.and_(pc.greater_equal(values, ends.min), pc.less_equal(values, ends.max))
    return bool(pc.any(inside).as_py())


def _repeated(value: int, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.int64()), count)
