"""Files of a local table read on the driver, without a Spark job.

A refresh reads little, and a Spark job costs more than reading a few files. What is read here is proved equal to what
Spark reads, by the same tests; whatever is not plain (nested types, other schemas, partitions, large files, other file
systems) is left to Spark.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamtables.plan.nodes import WEIGHT
from streamtables.spark import vectors
from streamtables.spark.bitmaps import NONE, NotReadable, are_among
from streamtables.spark.columns import can_be_ordered
from streamtables.spark.plain import NotPlain, kind_of
from streamtables.spark.plain_file import PlainFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from streamtables.spark.actions import Metadata
    from streamtables.spark.bitmaps import Numbers
    from streamtables.spark.log import DeltaLog

# So many values are held on the driver, and so many passed by to find a few; more are Spark's.
MOST_VALUES, MOST_PASSED = 50_000_000, 1_000_000_000
# Decoding a column keeps one processor busy.
_FILES_AT_ONCE = 4
_TYPE, _TAKEN = "_change_type", ("delete", "update_preimage")


def change(
    log: DeltaLog, metadata: Metadata, levels: Iterable[Any], names: Sequence[str]
) -> pa.Table | None:
    """The change that files added, removed and fed make, each row once; None where Spark has to read it."""
    if log.folder is None or not names:
        return None
    try:
        reader = Reader(log, log.folder, metadata, names)
        sides = [_Sides.of(level) for level in levels]
        reader.require_small(file for side in sides for file in side.whole)
        reader.require_small((new for side in sides for _, new in side.moved), MOST_PASSED)
        parts = [part for side in sides for part in reader.parts(side)]
    except (NotPlain, NotReadable, pa.ArrowException, OSError):
        return None
    if not parts:
        return None
    rows = pa.concat_tables(parts)
    summed = rows.group_by(list(names)).aggregate([(WEIGHT, "sum")])
    summed = summed.rename_columns([*names, WEIGHT]) if summed.column_names[0] in names else summed
    return summed.filter(pc.field(WEIGHT) != 0).combine_chunks()


@dataclass(frozen=True)
class _Sides:
    """One level of files, of a path at most one on each side: those with other rows hidden, come, gone, and fed."""

    moved: list[tuple[Mapping[str, Any], Mapping[str, Any]]]
    come: list[Mapping[str, Any]]
    gone: list[Mapping[str, Any]]
    feed: list[Mapping[str, Any]]

    @classmethod
    def of(cls, level: Any) -> _Sides:
        """What the files of a level are to each other."""
        added = {file["path"]: file for file in level.adds}
        removed = {file["path"]: file for file in level.removes}
        return cls(
            [(removed[path], added[path]) for path in added if path in removed],
            [file for path, file in added.items() if path not in removed],
            [file for path, file in removed.items() if path not in added],
            level.feed,
        )

    @property
    def whole(self) -> list[Mapping[str, Any]]:
        """The files that are read from end to end."""
        return [*self.come, *self.gone, *self.feed]


class Reader:
    """Reads some columns of files as weighted rows."""

    def __init__(
        self, log: DeltaLog, folder: Path, metadata: Metadata, names: Sequence[str]
    ) -> None:
        self._log, self._folder, self._names = log, folder, list(names)
        fields = {field["name"].lower(): field for field in json.loads(metadata.schema)["fields"]}
        parts = {name.lower() for name in metadata.partition_columns}
        self._fields = {_TYPE: (_TYPE, pa.string())}
        for name in names:
            field = fields.get(name.lower())
            if field is None or name.lower() in parts:
                raise NotPlain(name)
            known = (field.get("metadata") or {}).get("delta.columnMapping.physicalName")
            self._fields[name] = (known or field["name"], kind_of(field))

    def require_small(self, files: Iterable[Mapping[str, Any]], most: int = MOST_VALUES) -> None:
        """Refuse more values than the driver should hold or pass by."""
        values = 0
        for file in files:
            held = json.loads(file.get("stats") or "{}").get("numRecords")
            # The feed's files have no statistics; their rows are few, and each takes some bytes.
            values += (held if held is not None else file["size"] // 4) * len(self._names)
        if values > most:
            raise NotPlain(f"{values} values")

    def nothing(self) -> pa.Table:
        """No row, of the columns that it reads."""
        return pa.table({name: pa.array([], self._fields[name][1]) for name in self._names})

    def parts(self, sides: _Sides) -> list[pa.Table]:
        """The weighted rows of one level of files."""
        found = [self._moved(old, new) for old, new in sides.moved]
        found += [self._whole(file, 1) for file in sides.come]
        found += [self._whole(file, -1) for file in sides.gone]
        return [*found, *map(self._fed, sides.feed)]

    def near(
        self,
        files: Sequence[Mapping[str, Any]],
        name: str,
        values: pa.ChunkedArray,
        most: int | None = None,
    ) -> Iterator[tuple[str, Numbers, pa.Table]]:
        """The rows, not hidden, that have one of the values in a column: each file's path, their numbers, and the rows.

        Row groups without any are passed over by what Parquet says of them, or when that column has been read.
        More than `most` rows of a file are Spark's.
        """
        if can_be_ordered(values.type):
            values = pa.chunked_array([values.unique().sort()])
        find = partial(self._near, name=name, values=values, most=most)
        opened = [self._opened(file["path"], self._names) for file in files]
        if all(file.is_quick(name) for file in opened):
            # Threads would mostly wait for each other.
            yield from map(find, files, opened)
            return
        with ThreadPoolExecutor(_FILES_AT_ONCE) as pool:
            yield from pool.map(find, files, opened)

    def shown(self, files: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Numbers, pa.Table]]:
        """All rows that are not hidden: each file's path, their numbers, and the rows."""
        with ThreadPoolExecutor(_FILES_AT_ONCE) as pool:
            yield from pool.map(self._shown, files)

    def _shown(self, file: Mapping[str, Any]) -> tuple[str, Numbers, pa.Table]:
        rows, hidden = self._opened(file["path"], self._names).all(), self._hidden(file)
        numbers = np.delete(np.arange(rows.num_rows), hidden)
        return file["path"], numbers, rows.take(pa.array(numbers)) if len(hidden) else rows

    def _near(
        self,
        file: Mapping[str, Any],
        opened: PlainFile,
        name: str,
        values: pa.ChunkedArray,
        most: int | None,
    ) -> tuple[str, Numbers, pa.Table]:
        found, column = opened.find(name, values, most)
        if not len(found):
            return file["path"], found, self.nothing()
        is_kept = ~are_among(found, self._hidden(file))
        numbers = found[is_kept]
        columns = {name: column.filter(pa.array(is_kept)).column(0)}
        if rest := [other for other in self._names if other != name]:
            columns |= dict(zip(rest, opened.take(rest, numbers).columns, strict=True))
        rows = pa.table({other: columns[other] for other in self._names})
        return file["path"], numbers, rows

    def _moved(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> pa.Table:
        """A file of which other rows are hidden now than before."""
        before, after = self._hidden(old), self._hidden(new)
        numbers = np.setxor1d(before, after, assume_unique=True)
        rows = self._opened(new["path"], self._names).take(self._names, numbers)
        weights = np.where(are_among(numbers, before), 1, -1)
        return rows.append_column(WEIGHT, pa.array(weights, pa.int64()))

    def _whole(self, file: Mapping[str, Any], weight: int) -> pa.Table:
        rows = self._shown(file)[2]
        return rows.append_column(WEIGHT, _repeated(weight, rows.num_rows))

    def _fed(self, file: Mapping[str, Any]) -> pa.Table:
        rows = self._opened(file["path"], [*self._names, _TYPE]).all()
        is_taken = pc.is_in(rows.column(_TYPE), pa.array(_TAKEN))
        weights = pc.if_else(is_taken, pa.scalar(-1, pa.int64()), pa.scalar(1, pa.int64()))
        return rows.select(self._names).append_column(WEIGHT, weights)

    def _hidden(self, file: Mapping[str, Any]) -> Numbers:
        vector = file.get("deletionVector")
        return vectors.hidden_rows(self._log, vector) if vector else NONE

    def _opened(self, path: str, names: Sequence[str]) -> PlainFile:
        place = urlsplit(path)
        if place.scheme not in ("", "file"):
            raise NotPlain(path)
        fields = {name: self._fields[name] for name in names}
        return PlainFile(self._folder / unquote(place.path), fields)


def _repeated(value: int, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.int64()), count)
