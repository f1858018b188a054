"""One read of a change for all tables that take in the same versions of a source."""

from __future__ import annotations

import threading
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

from streamtables.model import Position, Window
from streamtables.spark import shared
from streamtables.spark.relations import Relation, here

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = StructType(
    [
        StructField("k", StringType()),
        StructField("r", DoubleType()),
        StructField("v", LongType()),
        StructField("_weight", LongType()),
    ]
)
ROWS = [
    ("a", 0.5, 1, 1),
    ("a", 0.5, 2, -1),
    (None, 1.5, 1, 2),
    (None, 2.5, 1, -2),
    ("b", 0.0, 3, 1),
]
LOG: Any = SimpleNamespace(path="file:/s")
SPARK: Any = SimpleNamespace(createDataFrame=None)


def window(since: int, until: int) -> Window:
    return Window(Position("id", since, "schema"), Position("id", until, "schema"))


def summed(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        found[tuple(row[SCHEMA.names.index(name)] for name in columns)] += row[-1]
    return Counter({row: weight for row, weight in found.items() if weight})


def bag(relation: Relation) -> Counter[tuple[Any, ...]]:
    assert relation.local is not None
    return Counter({tuple(row.values())[:-1]: row["_weight"] for row in relation.local.to_pylist()})


class Source:
    """A change of which each read is counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rows: Sequence[tuple[Any, ...]]) -> None:
        self.rows, self.asked = rows, list[tuple[str, ...]]()
        self.shared = shared.SharedChanges()
        monkeypatch.setattr(shared, "changed", self.changed)

    def changed(
        self, spark: Any, _log: object, _window: object, columns: Sequence[str]
    ) -> Relation:
        self.asked.append(tuple(columns))
        wanted = [(*row, weight) for row, weight in summed(self.rows, columns).items()]
        schema = StructType([SCHEMA[name] for name in (*columns, "_weight")])
        kinds = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
        fields = [(field.name, kinds[field.dataType.simpleString()]) for field in schema]
        arrays = [pa.array([row[i] for row in wanted], kind) for i, (_, kind) in enumerate(fields)]
        return here(spark, pa.table(arrays, names=schema.names), schema)

    def read(self, *columns: str, since: int = 1, until: int = 2) -> Counter[tuple[Any, ...]]:
        return bag(self.shared.read(SPARK, LOG, window(since, until), columns))


def test_the_same_columns_of_the_same_window_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch, ROWS)
    assert source.read("k", "v") == source.read("k", "v") == summed(ROWS, ("k", "v"))
    assert source.asked == [("k", "v")]
    source.read("k", "v", until=3)
    source.read("k", "v", since=0)
    assert len(source.asked) == 3


@pytest.mark.parametrize("odd", [float("nan"), -0.0])
def test_odd_floats_are_left_to_spark_to_compare(
    monkeypatch: pytest.MonkeyPatch, odd: float
) -> None:
    source = Source(monkeypatch, [("a", odd, 1, 1), *ROWS])
    source.read("k", "r", "v")
    source.read("k", "r")
    assert source.asked == [("k", "r", "v"), ("k", "r")]
    source.read("k", "v")
    assert len(source.asked) == 2


rows = st.tuples(
    st.sampled_from([None, "a", "b"]), st.just(0.5), st.integers(0, 2), st.sampled_from([-2, -1, 1])
)


@given(st.lists(rows), st.sampled_from([("k",), ("v",), ("v", "k")]))
def test_fewer_columns_add_up(changes: list[tuple[Any, ...]], columns: tuple[str, ...]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        source = Source(monkeypatch, changes)
        source.read("k", "v")
        assert source.read(*columns) == summed(changes, columns)
        assert source.asked == [("k", "v")]


def test_who_asks_while_another_reads_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch, ROWS)
    begun, may_end = threading.Event(), threading.Event()
    read = source.changed

    def slowly(*given: Any) -> Relation:
        begun.set()
        assert may_end.wait(10)
        return read(*given)

    monkeypatch.setattr(shared, "changed", slowly)
    first = threading.Thread(target=source.read, args=("k", "v"))
    second = threading.Thread(target=source.read, args=("k",))
    first.start()
    assert begun.wait(10)
    second.start()
    may_end.set()
    first.join()
    second.join()
    assert source.asked == [("k", "v")]


def test_large_changes_and_old_windows_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(monkeypatch, ROWS)
    for until in range(2, shared.WINDOWS + 3):
        source.read("k", until=until)
    source.read("k", until=shared.WINDOWS + 2)
    assert len(source.asked) == shared.WINDOWS + 1
    source.read("k", until=2)
    assert len(source.asked) == shared.WINDOWS + 2
    large: list[Relation] = []

    def distributed(*_: object) -> Relation:
        large.append(Relation(lambda: pytest.fail("not computed here"), 10**6, None))
        return large[-1]

    monkeypatch.setattr(shared, "changed", distributed)
    for _ in range(2):
        found = source.shared.read(SPARK, LOG, window(5, 99), ("k",))
        assert found is large[-1]
    assert len(large) == 2
