"""One cell: one view through several batches, each measured four ways and compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.data import SCHEMA, Sizes
from benchmarks.views import VIEWS
from pyspark.sql import functions as f

from streamtables.testing.translate import in_duckdb

if TYPE_CHECKING:
    from benchmarks.meter import Cost, Meter
    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame, SparkSession

    import streamtables
    from streamtables.model import Refresh

# So many values of a key are written into the hand-written MERGE, for pruning.
LITERALS = 2_000
WAYS = ("refresh", "full", "bare", "duckdb")


@dataclass
class Cell:
    """What was measured of a view: per way, the cost of each round."""

    view: str
    rows: int = 0
    commits: int = 0
    collected: int = 0
    """The most rows that a refresh brought to the driver."""
    actions: list[str] = field(default_factory=list)
    costs: dict[str, list[Cost]] = field(default_factory=lambda: {way: [] for way in WAYS})

    def seconds(self, way: str) -> float:
        """The median over the rounds."""
        return median(cost.seconds for cost in self.costs[way])

    def ratio(self, to: str) -> float:
        """The refresh over another way, in the median of the rounds."""
        pairs = zip(self.costs["refresh"], self.costs[to], strict=True)
        return median(one.seconds / other.seconds for one, other in pairs)


class Bench:
    """One set of sources on Spark and on DuckDB."""

    def __init__(
        self,
        spark: SparkSession,
        duck: DuckDBPyConnection,
        st: streamtables.StreamTables,
        meter: Meter,
    ) -> None:
        self.spark, self.duck, self.st, self.meter = spark, duck, st, meter
        self._changed = 0

    def run(self, view: str, sizes: Sizes, mode: str, rounds: int, *, is_two_sources: bool) -> Cell:
        """Make the view and follow it through batches of its own; the first of them only warms up."""
        query, cell = VIEWS[view].query, Cell(view)
        name, full, bare = (f"{SCHEMA}.{view}{end}" for end in ("", "_full", "_bare"))
        self.st.create_stream_table(name, query, refresh_mode=mode)
        for copy in (full, bare):
            self._copy(name, copy)
        for number in range(rounds + 1):
            self._change(sizes, is_two_sources=is_two_sources)
            costs = self._round(view, number, cell)
            if number:
                for way, cost in costs.items():
                    cell.costs[way].append(cost)
            self._same(name, full)
            self._same(name, bare)
        cell.rows = self.spark.table(name).count()
        self.st.drop_stream_table(name)
        for copy in (full, bare):
            self.spark.sql(f"DROP TABLE {copy}")
        return cell

    def _change(self, sizes: Sizes, *, is_two_sources: bool) -> None:
        """The next batch, of rows behind those that were changed before."""
        number = self._changed // sizes.batch + 1
        self._changed = (number + 1) * sizes.batch
        for text in sizes.batch_of(number, is_two_sources=is_two_sources):
            self.spark.sql(text)
            self.duck.execute(text)

    def _round(self, view: str, number: int, cell: Cell) -> dict[str, Cost]:
        """The refresh and the recompute take turns in going first: the first of them reads the sources anew."""
        name, query = f"{SCHEMA}.{view}", VIEWS[view].query
        folder = f"{SCHEMA}.db/{view}"
        before, private = self._commits(folder), self._commits("_streamtables")
        done: list[Refresh] = []
        ways = {
            "refresh": lambda: done.append(self.st.refresh(name)),
            "full": lambda: self.spark.sql(f"INSERT OVERWRITE {name}_full {query}"),
        }
        order = sorted(ways, reverse=bool(number % 2))
        costs = {way: self.meter.of(ways[way]) for way in order}
        cell.actions.append(done[0].action.value)
        cell.collected = max(cell.collected, int(done[0].measures.get("rows_on_driver", 0)))
        written = self._commits(folder) - before
        cell.commits = written + self._commits("_streamtables") - private
        statement = self._by_hand(view, before - 1)
        costs["bare"] = self.meter.of(lambda: self.spark.sql(statement))
        text = in_duckdb(query)
        costs["duckdb"] = self.meter.of(
            lambda: self.duck.execute(f"CREATE OR REPLACE TABLE answer AS {text}")
        )
        return costs

    def _by_hand(self, view: str, before: int) -> str:
        """The statement that a person would write for the same net change, its rows already here."""
        change = self.st.changes(f"{SCHEMA}.{view}", before)
        rows = change.toArrow()
        self.spark.createDataFrame(rows, schema=change.schema).createOrReplaceTempView("net")
        columns = [name for name in rows.column_names if name != "_weight"]
        listed = ", ".join(columns)
        key = VIEWS[view].key
        weights = rows.column("_weight").to_pylist()
        if all(weight > 0 for weight in weights):
            return f"INSERT INTO {view}_bare SELECT {listed} FROM net"
        # A key that only goes away has no row that comes.
        last = (
            f"SELECT * FROM net WHERE _weight > 0 UNION ALL SELECT g.* FROM net g LEFT ANTI JOIN "
            f"(SELECT * FROM net WHERE _weight > 0) c ON {_same_key('g', 'c', key)} WHERE g._weight < 0"
        )
        here = self.spark.sql(last).toArrow()
        self.spark.createDataFrame(here, schema=change.schema).createOrReplaceTempView("last")
        values = sorted(set(rows.column(key[0]).to_pylist()))
        near = (
            f" AND t.{key[0]} IN ({', '.join(map(str, values))})" if len(values) <= LITERALS else ""
        )
        sets = ", ".join(f"t.{name} = c.{name}" for name in columns)
        return (
            f"MERGE INTO {view}_bare t USING last c ON {_same_key('t', 'c', key)}{near} "
            f"WHEN MATCHED AND c._weight < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET {sets} "
            f"WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({', '.join(f'c.{n}' for n in columns)})"
        )

    def _copy(self, name: str, copy: str) -> None:
        writer = self.spark.table(name).writeTo(copy).using("delta")
        writer.tableProperty("delta.enableDeletionVectors", "true").create()

    def _commits(self, folder: str) -> int:
        return len(list(Path(self.st.warehouse, folder).glob("**/_delta_log/*.json")))

    def _same(self, one: str, other: str) -> None:
        marks = [fingerprint(self.spark.table(name)) for name in (one, other)]
        if marks[0] != marks[1]:
            raise AssertionError(f"{one} is not {other}")


def _same_key(one: str, other: str, key: tuple[str, ...]) -> str:
    return " AND ".join(f"{one}.{name} <=> {other}.{name}" for name in key)


def fingerprint(rows: DataFrame) -> tuple[object, ...]:
    """A number for a bag of rows: two sums of 64-bit hashes, NULLs told apart, and the count."""
    marked = [part for name in rows.columns for part in (f.col(name), f.col(name).isNull())]
    sums = [
        f.sum(f.xxhash64(f.lit(seed), *marked).cast("decimal(38,0)")) for seed in ("one", "two")
    ]
    return tuple(rows.agg(f.count(f.lit(1)), *sums).collect()[0])
