"""Rows with touched keys, found on the driver: those that a look at every row finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamtables.spark.actions import Metadata
from streamtables.spark.driver import Reader, _may_hold
from streamtables.spark.plain import NotPlain

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
    monkeypatch.setattr(Reader, "_hidden", lambda *_: HIDDEN)
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
    numbers, rows = reader.near({"path": "a%20b.parquet"}, column, keys)
    place = list(FIELDS).index(column)
    wanted = [i for i, row in enumerate(ROWS) if row[place] in values and i not in HIDDEN]
    assert numbers == wanted
    assert rows.to_pydict() == {
        name: [ROWS[i][list(FIELDS).index(name)] for i in wanted] for name in ("name", "id", "day")
    }


def test_row_groups_are_passed_over_by_their_ends(reader: Reader, tmp_path: Path) -> None:
    file = pq.ParquetFile(tmp_path / "a b.parquet")

    def held(values: list[int | None]) -> list[bool]:
        keys = pa.chunked_array([pa.array(values, pa.int64())])
        return [_may_hold(file, group, "id", keys) for group in range(file.num_row_groups)]

    assert held([4, 5]) == [False, True, False, False]
    assert held([1, 100]) == [True, False, False, False]
    assert held([None]) == [True] * 4


def test_a_file_without_the_column_is_for_spark(reader: Reader, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "old.parquet")
    with pytest.raises(NotPlain):
        reader.near({"path": "old.parquet"}, "id", pa.chunked_array([pa.array([1])]))
