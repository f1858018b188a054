"""One change, one commit: each form of writing, over each type of key."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from helpers.lake import Lake
from helpers.sample import sampled

from streamtables.errors import CommitLost, NegativeCount
from streamtables.model import Frontier, Window
from streamtables.spark import positions
from streamtables.spark.apply import LITERAL_ROWS, Rewrite, overwrite, write
from streamtables.spark.log import DeltaLog
from streamtables.spark.relations import materialise
from streamtables.spark.stamp import Stamp
from streamtables.spark.work import SparkChanges
from streamtables.sql.compile import compile_table
from streamtables.testing import bags
from streamtables.testing.bags import plain

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

UTC = dt.timezone.utc
# Type: two values to take away, one that is equal to the first by another way of writing it, one that stays.
TYPES: dict[str, tuple[Any, ...]] = {
    "INT": (1, -2, 1, 3),
    "BIGINT": (2**62, -(2**63), 2**62, 0),
    "STRING": ("it's \\ \"x\" -- `", "", "it's \\ \"x\" -- `", " "),
    "BOOLEAN": (True, True, True, False),
    "DOUBLE": (float("nan"), 0.0, float("nan"), 1.5),
    "FLOAT": (-0.0, float("inf"), 0.0, 0.5),
    "DECIMAL(20,4)": (Decimal("1.5000"), Decimal("-9999999999999999.9999"), Decimal("1.5"), Decimal("0")),
    "DATE": (dt.date(2024, 2, 29), dt.date(1582, 10, 15), dt.date(2024, 2, 29), dt.date(1970, 1, 1)),
    "TIMESTAMP": (
        dt.datetime(2024, 3, 31, 1, 30, 0, 123456, UTC), dt.datetime(1900, 1, 1, tzinfo=UTC),
        dt.datetime(2024, 3, 31, 1, 30, 0, 123456, UTC), dt.datetime(2024, 3, 31, 1, 30, 0, 123457, UTC)),
    "TIMESTAMP_NTZ": (
        dt.datetime(2024, 3, 31, 2, 30), dt.datetime(1900, 1, 1),
        dt.datetime(2024, 3, 31, 2, 30), dt.datetime(2024, 3, 31, 2, 30, 0, 1)),
    "BINARY": (bytearray(b"\x00'\xff"), bytearray(b""), bytearray(b"\x00'\xff"), bytearray(b"a")),
    "ARRAY<INT>": ([1, None], [], [1, None], [None, 1]),
    "STRUCT<a: INT, `b.c`: STRING>": ((1, None), (None, "x"), (1, None), (1, "")),
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return Lake(spark, tmp_path_factory.mktemp("apply"), "applied")


def bag(rows: Sequence[tuple[Any, ...]]) -> Counter[Any]:
    """The rows counted, moments as Spark gives them back in a session whose zone is UTC."""
    return bags.bag(tuple(map(_without_zone, row)) for row in rows)


def _without_zone(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value


class Target:
    """A Delta table to write to."""

    def __init__(self, lake: Lake, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
        self.lake, self.columns = lake, columns
        self.session = lake.spark.newSession()
        lake.sql(f"DROP TABLE IF EXISTS {lake}.target")
        self.frame(rows).write.format("delta").saveAsTable(f"{lake}.target")

    def frame(self, rows: Sequence[tuple[Any, ...]]) -> Any:
        return self.session.createDataFrame(rows, self.columns)

    def write(self, gone: Any, coming: Sequence[tuple[Any, ...]], number: int = 1) -> int:
        path = str(self.lake.path("target"))
        stamp = Stamp("test", number, f'{{"number": {number}}}')
        if gone is None:
            log = DeltaLog.of(self.session, path)
            frame = self.frame(coming)
            return positions.write(self.session, log, log.latest(), {}, frame, stamp)
        rewrite = Rewrite(materialise(self.session, gone), self.frame(coming))
        return write(self.session, path, rewrite, stamp)

    def rows(self) -> Counter[Any]:
        return self.lake.rows(f"SELECT * FROM {self.lake}.target")

    def how(self) -> str:
        info = self.lake.commits("target")[-1]["commitInfo"]
        return f"{info['operation']} {info['operationParameters'].get('mode', '')}".strip()


@pytest.mark.parametrize("kind", sampled(TYPES, 4))
def test_rows_named_by_one_column(lake: Lake, kind: str) -> None:
    first, second, equal, stays = TYPES[kind]
    rows = [(value, n) for n, value in enumerate((first, first, second, None, stays))]
    target = Target(lake, f"`k.``'` {kind}, n INT", rows)
    gone = target.frame([(first, 0), (second, 0), (None, 0)]).select("`k.``'`").distinct()
    assert target.write(gone, [(equal, 7), (equal, 7), (None, 8)]) == 1
    assert target.rows() == bag([(stays, 4), (equal, 7), (equal, 7), (None, 8)])
    assert target.write(None, [(first, 9)], number=2) == 2
    assert (target.how(), target.rows()[plain((_without_zone(first), 9))]) == ("WRITE Append", 1)
    assert [stamp["number"] for stamp in lake.stamps("target")] == [1, 2]


@pytest.mark.parametrize(
    ("count", "kinds", "how"),
    [
        (LITERAL_ROWS, ("INT", "STRING", "DECIMAL(20,4)", "DATE", "TIMESTAMP", "BOOLEAN"), "WRITE Overwrite"),
        (LITERAL_ROWS + 1, ("INT", "STRING", "DATE", "BOOLEAN"), "MERGE"),
        (3, tuple(TYPES), "MERGE"),
    ],
)  # fmt: skip
def test_rows_named_by_several_columns(
    lake: Lake, count: int, kinds: tuple[str, ...], how: str
) -> None:
    columns = ", ".join(f"`a.``{n}` {kind}" for n, kind in enumerate(kinds))
    values = [tuple(TYPES[kind][n] for kind in kinds) for n in (0, 1, 3)]
    values += [(None, *values[0][1:]), (*values[0][:-1], None), tuple(None for _ in kinds)]
    rows = [(n, *value) for n in range(count) for value in values]
    target = Target(lake, f"id INT, {columns}", rows)
    taken = [(n, *values[n % 6]) for n in range(count)]
    put = [(0, *values[0]), (0, *values[0])]
    target.write(target.frame(taken), put)
    assert target.how() == how
    assert target.rows() == bag(rows) - bag(taken) + bag(put)


def test_a_table_of_one_row_without_a_key(lake: Lake) -> None:
    target = Target(lake, "n INT", [(1,)])
    target.write(target.frame([(1,)]).select(), [(2,)])
    assert (target.rows(), target.how()) == (bag([(2,)]), "WRITE Overwrite")


def test_a_refresh_is_written_once_in_each_form(lake: Lake) -> None:
    target = Target(lake, "k INT, n INT", [(1, 1), (2, 2)])
    target.write(None, [(3, 3)], number=5)
    before, one = target.rows(), target.frame([(1, 1)])
    forms = {
        "append": lambda: target.write(None, [(9, 9)], number=5),
        "literals": lambda: target.write(one.select("k"), [(9, 9)], number=5),
        "earlier": lambda: target.write(one, [(9, 9)], number=4),
        "all": lambda: overwrite(target.session, str(lake.path("target")), one, Stamp("test", 5, "{}")),
    }  # fmt: skip
    for form, again in forms.items():
        with pytest.raises(CommitLost):
            again()
        assert (target.rows(), lake.version("target")) == (before, 1), form


def test_bags_and_what_must_not_be_written(lake: Lake) -> None:
    name = f"{lake}.bag"
    lake.sql(f"CREATE TABLE {lake}.s (id INT, k INT, v DOUBLE) USING delta")
    lake.sql(f"INSERT INTO {lake}.s SELECT id, 1, double('NaN') FROM range(3)")
    lake.sql(f"INSERT INTO {lake}.s VALUES (4, NULL, NULL), (5, NULL, NULL), (6, 2, -0.0)")
    lake.st.create_stream_table(name, f"SELECT k, v FROM {lake}.s", refresh_mode="INCREMENTAL")
    lake.sql(f"DELETE FROM {lake}.s WHERE id IN (1, 4)", f"INSERT INTO {lake}.s VALUES (7, 2, 0.0)")
    refresh = lake.st.refresh(name)
    assert (refresh.rows_inserted, refresh.rows_deleted) == (1, 2)
    assert lake.rows(f"SELECT * FROM {name}") == bag(
        [(1, float("nan"))] * 2 + [(None, None)] + [(2, 0.0)] * 2
    )
    table, before = lake.definition("bag"), lake.version("bag")
    (position,) = lake.st.engine.pin(table.sources).values()
    windows = {table.sources[0].name.key: Window(position, position)}
    with lake.st.engine.work(table, compile_table(table), windows) as work:
        session = work._spark
        frame = session.createDataFrame([(None, None, -2)], "a INT, b DOUBLE, _weight BIGINT")
        relation = materialise(session, frame)
        work._inputs.keep("change", relation)
        too_many = SparkChanges(relation, ("a", "b"), None, None, 0, 2)
        with pytest.raises(NegativeCount, match="Nothing was written"):
            work.commit(too_many, Frontier(99, {}), is_due=False)
        none = SparkChanges(relation, ("a", "b"), None, None, 0, 0)
        assert work.commit(none, Frontier(99, {}), is_due=False).version is None
    assert lake.version("bag") == before


def test_a_global_aggregate(lake: Lake) -> None:
    name = f"{lake}.total"
    lake.sql(f"CREATE TABLE {lake}.amounts (v INT) USING delta")
    query = f"SELECT count(*) AS n, sum(v) AS total FROM {lake}.amounts"
    lake.st.create_stream_table(name, query, refresh_mode="INCREMENTAL")
    for statement in (
        "INSERT INTO $ VALUES (NULL)",
        "INSERT INTO $ VALUES (2), (3)",
        "DELETE FROM $",
    ):
        lake.sql(statement.replace("$", f"{lake}.amounts"))
        refresh = lake.st.refresh(name)
        assert (refresh.rows_inserted, refresh.rows_deleted) == (1, 1)
        lake.check("total")
