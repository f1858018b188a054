"""Rows with touched keys, found on the driver: those that a look at every row finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamtables.spark import plain_file
from streamtables.spark.actions import Metadata
from streamtables.spark.driver import Reader
from streamtables.spark.plain import NotPlain
from streamtables.spark.plain_file import PlainFile

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"id": "long", "name": "string", "day": "date"}
ROWS = [(i if i % 4 else None, f"n{i % 3}", None) for i in range(11)]
HIDDEN = {2, 5}


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A file of four row groups, with two rows hidden."""
    kinds = {"long": pa.int64(), "string": pa.string(), "date": pa.date32()}
    columns = zip(*ROWS, strict=True)
    arrays = [pa.array(c, kinds[k]) for c, k in zip(columns, FIELDS.values(), strict=True)]
    table = pa.table(dict(zip(FIELDS, arrays, strict=True)))
    pq.write_table(table, tmp_path / "a b.parquet", row_group_size=3)
    monkeypatch.setattr(Reader, "_hidden", lambda *_: np.array(sorted(HIDDEN)))
    fields = [{"name": name, "type": kind, "metadata": {}} for name, kind in FIELDS.items()]
    metadata = Metadata("id", json.dumps({"type": "struct", "fields": fields}), (), {})
    log: Any = None
    return Reader(log, tmp_path, metadata, ["name", "id", "day"])


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("id", [1, 5, 9]),
        ("id", [None, 10]),
        ("id", [99]),
        ("name", ["n1", "n9"]),
        ("name", [None]),
        ("day", [None]),
    ],
)
def test_near(reader: Reader, column: str, values: list[object]) -> None:
    kind = pa.int64() if column == "id" else pa.string() if column == "name" else pa.date32()
    keys = pa.chunked_array([pa.array(values, kind)])
    ((path, numbers, rows),) = reader.near([{"path": "a%20b.parquet"}], column, keys)
    assert path == "a%20b.parquet"
    place = list(FIELDS).index(column)
    wanted = [i for i, row in enumerate(ROWS) if row[place] in values and i not in HIDDEN]
    assert numbers.tolist() == wanted
    assert rows.to_pydict() == {
        name: [ROWS[i][list(FIELDS).index(name)] for i in wanted] for name in ("name", "id", "day")
    }


def test_row_groups_are_passed_over_by_their_ends(reader: Reader, tmp_path: Path) -> None:
    file = PlainFile(tmp_path / "a b.parquet", {"key": ("id", pa.int64())})

    def held(values: list[int | None]) -> list[bool]:
        keys = pa.chunked_array([pa.array(values, pa.int64())])
        return [file._may_hold(group, "key", keys) for group, _, _ in file._groups()]

    assert held([4, 5]) == [False, True, False, False]
    assert held([1, 100]) == [True, False, False, False]
    assert held([None]) == [True] * 4


def test_rows_are_found_across_parts_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_file, "_ROWS_AT_ONCE", 4)
    rows = pa.table({"a": range(25), "b": [i % 5 for i in range(25)]})
    pq.write_table(rows, tmp_path / "f.parquet", row_group_size=10)
    file = PlainFile(tmp_path / "f.parquet", {name: (name, pa.int64()) for name in "ab"})
    for wanted in ([], [0], [24], [3, 4, 9, 10], [11, 12, 13, 14, 19, 20, 23], range(25)):
        assert file.take(["a"], np.array(wanted, np.int64)).to_pydict() == {"a": list(wanted)}
    numbers, column = file.find("b", pa.chunked_array([[3, 4]]))
    assert (numbers.tolist(), column.to_pydict()["b"]) == (
        [i for i in range(25) if i % 5 > 2],
        [3, 4] * 5,
    )
    assert file.all().to_pydict() == rows.to_pydict()


def test_a_file_without_the_column_is_for_spark(reader: Reader, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "old.parquet")
    with pytest.raises(NotPlain):
        list(reader.near([{"path": "old.parquet"}], "id", pa.chunked_array([pa.array([1])])))
