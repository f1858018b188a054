"""Columns that are kept give the same rows as files that are decoded anew."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamtables.spark import columns
from streamtables.spark.plain import NotPlain
from streamtables.spark.plain_file import PlainFile

if TYPE_CHECKING:
    from collections.abc import Iterator

# Those that need 64 bits are found among those that do not, and the other way round.
NUMBERS = st.one_of(st.none(), st.integers(0, 9), st.just(2**40))
DAY = date(2026, 1, 1)
FIELDS = {
    "k": ("k", pa.int64()),
    "d": ("d", pa.date32()),
    "s": ("s", pa.string()),
    "p": ("p", pa.decimal128(14, 2)),
    "q": ("q", pa.decimal128(38, 2)),
}


@pytest.fixture(autouse=True, scope="module")
def every_file_is_mapped() -> Iterator[None]:
    before = columns.LEAST_ROWS
    columns.LEAST_ROWS = 0
    yield
    columns.LEAST_ROWS = before


def rows_of(numbers: list[int | None]) -> pa.Table:
    days = [None if number is None else DAY + timedelta(min(number, 99)) for number in numbers]
    words = [f"w{i}" for i, _ in enumerate(numbers)]
    prices = [None if number is None else Decimal(-number).scaleb(-2) for number in numbers]
    kinds = {name: kind for name, (_, kind) in FIELDS.items()}
    values = {"k": numbers, "d": days, "s": words, "p": prices, "q": prices}
    return pa.table(values, schema=pa.schema(list(kinds.items())))


@given(numbers=st.lists(NUMBERS, min_size=1, max_size=30), wanted=st.lists(NUMBERS, min_size=1))
def test_the_same_however_often(numbers: list[int | None], wanted: list[int | None]) -> None:
    table = rows_of(numbers)
    sought = rows_of(wanted)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        pq.write_table(table, path, row_group_size=7)
        expected = pa.array([i for i, number in enumerate(numbers) if number in wanted], pa.int64())
        for name in ("k", "d"):
            for _ in range(4):
                file = PlainFile(path, FIELDS)
                found, column = file.find(name, sought.column(name))
                assert found.tolist() == expected.to_pylist()
                assert (
                    column.column(name).to_pylist() == table.column(name).take(expected).to_pylist()
                )
                assert (
                    file.take(["s", "k", "p", "q"], found).to_pydict()
                    == table.select(["s", "k", "p", "q"]).take(expected).to_pydict()
                )
        with pytest.raises(NotPlain):
            PlainFile(path, FIELDS).find("k", pa.chunked_array([numbers[:1]], pa.int64()), 0)


def asked(kept: columns.Columns, key: str, rows: pa.Table, times: int = 3) -> Any:
    for _ in range(times - 1):
        assert kept.get(key, lambda: rows) is None
    return kept.get(key, lambda: rows)


def test_only_so_much_is_kept() -> None:
    rows = pa.table({"v": list(range(1000))})
    kept = columns.Columns(most_bytes=rows.nbytes * 2 + 100)
    assert [asked(kept, key, rows) is not None for key in "ab"] == [True, True]
    assert asked(kept, "c", rows) is rows, "what was made is given, but not kept"
    assert kept.get("c", lambda: rows) is None
    assert kept.get("a", lambda: rows).equals(rows)


def test_what_nobody_asks_for_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, now = pa.table({"v": list(range(1000))}), [0.0]
    monkeypatch.setattr(columns.time, "monotonic", lambda: now[0])
    kept = columns.Columns(most_bytes=rows.nbytes + 100)
    asked(kept, "a", rows)
    asked(kept, "b", rows)
    now[0] += 3600
    assert asked(kept, "b", rows).equals(rows)
    assert kept.get("b", lambda: pytest.fail("it is kept")).equals(rows)
    assert kept.get("a", lambda: rows) is None


def test_files_that_are_mapped_have_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert asked(columns.Columns(), "a", pa.table({"v": [1]})).num_rows == 1
    assert not list(tmp_path.iterdir())
