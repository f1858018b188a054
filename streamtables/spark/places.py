"""Files of a local stream table on the driver: where rows are in them, and a new one for rows that come."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streamtables.spark.actions import rows_in_files
from streamtables.spark.bitmaps import NONE
from streamtables.spark.driver import MOST_PASSED, Reader
from streamtables.spark.matched import equal_rows
from streamtables.spark.plain import NotPlain, any_between, cast, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamtables.spark.actions import Metadata
    from streamtables.spark.bitmaps import Numbers
    from streamtables.spark.log import DeltaLog

    Files = Mapping[str, Mapping[str, Any]]

# Which of the wanted rows is where.
FOUND = NUMBER, FILE, ROW = "_number", "_file", "_row"
# Of more rows than these, and than such a share of a table's, all are read: that is quicker than to look for each.
MANY, MANY_SHARE = 50_000, 0.2
# So many rows tell which column differs most.
_FIRST = 50_000
# Besides what is not plain, moments that Python has no value for, such as year 10000.
_LEFT_TO_SPARK = (NotPlain, pa.ArrowException, OSError, OverflowError, ValueError)


def find(log: DeltaLog, metadata: Metadata, files: Files, rows: pa.Table) -> pa.Table | None:
    """Where rows of a table are that equal the given ones, as columns of FOUND; None where Spark has to look."""
    if log.folder is None or not rows.column_names:
        return None
    try:
        reader = Reader(log, log.folder, metadata, rows.column_names)
        parts = [reader.nothing()]
        paths, places = [pa.array([], pa.string())], [NONE]
        for path, numbers, part in _some(reader, metadata, files, rows):
            parts.append(part)
            paths.append(pa.repeat(pa.scalar(path), len(numbers)))
            places.append(numbers)
        met = equal_rows(rows, pa.concat_tables(parts))
    except _LEFT_TO_SPARK:
        return None
    theirs = met.column(1)
    found = [met.column(0), pa.concat_arrays(paths).take(theirs), np.concatenate(places)[theirs]]
    return pa.table(found, names=list(FOUND))


def _some(
    reader: Reader, metadata: Metadata, files: Files, rows: pa.Table
) -> Iterable[tuple[str, Numbers, pa.Table]]:
    """Rows of a table that may equal some of the given ones: those with the same value in a column, or all of them."""
    if _are_many(rows, files):
        reader.require_small(files.values())
        return reader.shown(list(files.values()))
    best = _most_different(rows)
    near = _near(metadata, files.values(), best, rows.column(best))
    reader.require_small(near, MOST_PASSED)
    return reader.near(near, best, rows.column(best))


def _are_many(rows: pa.Table, files: Files) -> bool:
    held = rows_in_files(files.values(), ())
    return held is not None and rows.num_rows > max(MANY, MANY_SHARE * held)


def rows_with_keys(
    log: DeltaLog, version: int, names: Sequence[str], keys: pa.Table, *, is_rough: bool
) -> pa.Table | None:
    """Some columns of the rows whose values in the columns of `keys` are among its rows; None if Spark has to read.

    If that `is_rough`, other rows may come along.
    """
    if not keys.num_rows or log.folder is None:
        return None
    on, metadata = keys.column_names, log.metadata(version)
    try:
        reader = Reader(log, log.folder, metadata, names)
        files = log.files(version)
        found = _some(reader, metadata, files, keys)
        rows = pa.concat_tables([reader.nothing(), *(part for _, _, part in found)])
        if is_rough or (len(on) == 1 and not _are_many(keys, files)):
            return rows
        met = equal_rows(keys, rows.select(on)).column(1)
    except _LEFT_TO_SPARK:
        return None
    is_met = np.zeros(rows.num_rows, np.bool_)
    is_met[met.to_numpy()] = True
    return rows.filter(pa.array(is_met))


def all_rows(log: DeltaLog, version: int, names: Sequence[str], most: int) -> pa.Table | None:
    """Some columns of a version's rows, if there are at most so many; None where Spark has to read."""
    if log.folder is None:
        return None
    files = log.files(version)
    held = rows_in_files(files.values(), ())
    if held is None or held > most:
        return None
    try:
        reader = Reader(log, log.folder, log.metadata(version), names)
        return pa.concat_tables(
            [reader.nothing(), *(part for *_, part in reader.shown(list(files.values())))]
        )
    except _LEFT_TO_SPARK:
        return None


def rows_near(
    log: DeltaLog,
    version: int,
    names: Sequence[str],
    column: str,
    values: pa.ChunkedArray,
    most: int | None = None,
) -> pa.Table | None:
    """Some columns of a version's rows that have one of the values in a column.

    None where Spark has to read, and where there are more than `most` of them.
    """
    if log.folder is None:
        return None
    metadata = log.metadata(version)
    try:
        reader = Reader(log, log.folder, metadata, names)
        near = _near(metadata, log.files(version).values(), column, values)
        reader.require_small(near, MOST_PASSED)
        parts = [reader.nothing()]
        for _, _, part in reader.near(near, column, values, most):
            parts.append(part)
            if most is not None and sum(rows.num_rows for rows in parts) > most:
                return None
    except _LEFT_TO_SPARK:
        return None
    return pa.concat_tables(parts)


def written(log: DeltaLog, metadata: Metadata, rows: pa.Table) -> list[Mapping[str, Any]] | None:
    """A new file of a table with some rows, as the log is to have it; None where Spark has to write it."""
    if (
        log.folder is None
        or metadata.partition_columns
        or "columnMapping" in str(metadata.properties)
    ):
        return None
    fields = json.loads(metadata.schema)["fields"]
    try:
        kinds = [kind_of(field) for field in fields]
        arrays = [cast(rows.column(i), kind) for i, kind in enumerate(kinds)]
        table = pa.table(dict(zip((field["name"] for field in fields), arrays, strict=True)))
        statistics = json.dumps(_statistics(table))
    except _LEFT_TO_SPARK:
        return None
    name = f"part-00000-{uuid.uuid4()}-c000.snappy.parquet"
    place = log.folder / name
    pq.write_table(table, place, compression="snappy")
    found = place.stat()
    action = {
        "path": name,
        "partitionValues": {},
        "size": found.st_size,
        "modificationTime": found.st_mtime_ns // 1_000_000,
        "dataChange": True,
        "stats": statistics,
    }
    return [action]


def _statistics(table: pa.Table) -> dict[str, Any]:
    """What Delta Lake passes files over by: of columns whose ends are exact in JSON."""
    least, most, missing = {}, {}, {}
    for name in table.column_names:
        column = table.column(name)
        missing[name] = column.null_count
        is_exact = pa.types.is_integer(column.type) or pa.types.is_date(column.type)
        if is_exact and column.null_count < len(column):
            ends = pc.min_max(column).as_py()
            least[name], most[name] = (
                value if isinstance(value, int) else value.isoformat()
                for value in (ends["min"], ends["max"])
            )
    return {
        "numRecords": table.num_rows,
        "minValues": least,
        "maxValues": most,
        "nullCount": missing,
        "tightBounds": True,
    }


def _most_different(rows: pa.Table) -> str:
    """The column whose values differ most, among the first rows."""
    first, names = rows.slice(0, _FIRST), list[str](rows.column_names)
    return max(names, key=lambda name: len(first.column(name).unique()))


def _near(
    metadata: Metadata,
    files: Iterable[Mapping[str, Any]],
    name: str,
    values: pa.ChunkedArray,
) -> list[Mapping[str, Any]]:
    """The files that can hold some of the values; all where statistics go by other names than columns."""
    is_mapped = "delta.columnMapping.mode" in metadata.properties
    return [file for file in files if is_mapped or _may_hold(file, name, values)]


def _may_hold(file: Mapping[str, Any], name: str, values: pa.ChunkedArray) -> bool:
    """Whether a file can hold some of the values, by its statistics."""
    found = json.loads(file.get("stats") or "{}")
    return any_between(
        values, *(found.get(end, {}).get(name) for end in ("minValues", "maxValues"))
    )
