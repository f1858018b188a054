"""Files of a local table read on the driver, without a Spark job.

A refresh reads little, and a Spark job costs more than reading a few files. What is read here is proved equal to what
Spark reads, by the same tests; whatever is not plain (nested types, other schemas, partitions, large files, other file
systems) is left to Spark.
"""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streamtables.plan.nodes import WEIGHT
from streamtables.spark import vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from streamtables.spark.actions import Metadata
    from streamtables.spark.log import DeltaLog

# So many values are read on the driver; more are Spark's.
MOST_VALUES = 50_000_000
_KINDS = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_TAKEN = ("delete", "update_preimage")


class NotPlain(Exception):
    """Something in the files that Spark has to read."""


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
        """The rows of a file, not hidden, that have one of the values in a column, and their numbers."""
        column = self._read(file["path"], names=(name,)).column(name)
        is_near = pc.is_in(column, values.combine_chunks().cast(column.type))
        hidden = self._hidden(file)
        numbers = [row for row in pc.indices_nonzero(is_near).to_pylist() if row not in hidden]
        return numbers, self._read(file["path"], numbers)

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
        self,
        path: str,
        rows: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        more: Sequence[str] = (),
    ) -> pa.Table:
        place = urlsplit(path)
        if place.scheme not in ("", "file"):
            raise NotPlain(path)
        wanted = self._names if names is None else list(names)
        fields = [self._fields[self._names.index(name)] for name in wanted]
        columns = [*(name for name, _ in fields), *more]
        file = pq.ParquetFile(self._folder / unquote(place.path), coerce_int96_timestamp_unit="us")
        if not set(columns) <= set(file.schema_arrow.names):
            raise NotPlain(path)
        table = file.read(columns) if rows is None else _rows_of(file, columns, rows)
        arrays = [cast(table.column(name), kind) for name, kind in fields]
        arrays += [table.column(name) for name in more]
        return pa.table(dict(zip([*wanted, *more], arrays, strict=True)))


def _rows_of(file: pq.ParquetFile, columns: Sequence[str], rows: Sequence[int]) -> pa.Table:
    """Some rows of a file, of which only the row groups that hold them are read."""
    parts, start = [], 0
    wanted = list(rows)
    for group in range(file.num_row_groups):
        end = start + file.metadata.row_group(group).num_rows
        inside = [row - start for row in wanted if start <= row < end]
        if inside:
            parts.append(file.read_row_group(group, list(columns)).take(inside))
        start = end
    return pa.concat_tables(parts) if parts else file.schema_arrow.empty_table().select(columns)


def kind_of(field: Mapping[str, Any]) -> pa.DataType:
    """The type of a plain column on the driver."""
    kind = field["type"]
    if isinstance(kind, str) and kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    metadata = field.get("metadata") or {}
    is_padded = any("CHAR_VARCHAR" in key or "COLLATION" in key.upper() for key in metadata)
    if not isinstance(kind, str) or kind not in _KINDS or is_padded:
        raise NotPlain(str(kind))
    return _KINDS[kind]


def cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The values in the type that Spark gives them; any other change of type is left to Spark."""
    if column.type == kind:
        return column
    both = (column.type, kind)
    if all(map(pa.types.is_timestamp, both)) or all(map(pa.types.is_decimal, both)):
        return column.cast(kind)
    raise NotPlain(f"{column.type} as {kind}")


def _repeated(value: int, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.int64()), count)


def values_of(rows: pa.Table) -> Iterable[tuple[Any, ...]]:
    """The rows as tuples that are equal where Spark takes them for equal."""
    columns = []
    for column in rows.columns:
        values = column.to_pylist()
        if pa.types.is_floating(column.type):
            values = ["NaN" if value is not None and isnan(value) else value for value in values]
        columns.append(values)
    return zip(*columns, strict=True)
