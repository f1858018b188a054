"""A graph with two diamonds, a writer that never rests, and the check of every version that readers could have seen."""

from __future__ import annotations

import itertools
import json
import random
import threading
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from streamtables.testing.bags import assert_same, bag

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence

    from helpers.lake import Lake

SOURCES = ("a", "b", "c", "d")
SCHEMA = pa.schema([("k", pa.int32()), ("v", pa.int32())])
# Name: schedule, in periods if it is a number, and query; what comes later reads what comes before.
TABLES: dict[str, tuple[str | int, str]] = {
    "t1": ("DOWNSTREAM", "SELECT k, count(*) AS n, sum(v) AS s FROM $.a GROUP BY k"),
    "t2": ("DOWNSTREAM", "SELECT x.k, x.v, y.v AS w FROM $.a AS x JOIN $.b AS y ON x.k = y.k"),
    "t3": (1, "SELECT x.k, x.n, x.s, y.v, y.w FROM $.t1 AS x JOIN $.t2 AS y ON x.k = y.k"),
    "t4": ("ON CHANGE", "SELECT k, max(v) AS m FROM $.c GROUP BY k"),
    "t5": ("DOWNSTREAM", "SELECT x.k, x.v, y.v AS w FROM $.c AS x LEFT JOIN $.d AS y ON x.k = y.k"),
    "t6": (
        1,
        "SELECT x.k, x.m, count(y.w) AS n FROM $.t4 AS x JOIN $.t5 AS y ON x.k = y.k GROUP BY x.k, x.m",
    ),
    "t7": ("DOWNSTREAM", "SELECT k FROM $.t3 UNION ALL SELECT k FROM $.t6"),
    "t8": (2, "SELECT k, count(*) AS n FROM $.t7 GROUP BY k"),
}
# The share of statements that only write files anew.
OPTIMIZED = 0.05
# And a dozen beside the diamonds, which move less often.
for number in range(9, 21):
    source = SOURCES[number % len(SOURCES)]
    TABLES[f"t{number}"] = (
        "20s",
        f"SELECT k, v + {number} AS v FROM $.{source} WHERE k <> {number % 7}",
    )


def make(lake: Lake, count: int = len(TABLES), period_s: int = 1) -> list[str]:
    """The sources with a few rows, and the first stream tables; gives the names of those."""
    rows = "SELECT CAST(id % 7 AS INT) AS k, CAST(id AS INT) AS v FROM range(20)"
    for source in SOURCES:
        lake.sql(f"CREATE TABLE {lake}.{source} USING delta AS {rows}")
    names = list(TABLES)[:count]
    for name in names:
        when, query = TABLES[name]
        schedule = f"{when * period_s}s" if isinstance(when, int) else when
        lake.st.create_stream_table(f"{lake}.{name}", query.replace("$", str(lake)), schedule)
    return names


class Writer(threading.Thread):
    """Changes sources until told to stop, with a pause after each statement; each source has one writer at most."""

    def __init__(self, write: Callable[[random.Random], None], seed: int, pause_s: float) -> None:
        super().__init__(daemon=True)
        self._write, self._chance, self._pause_s = write, random.Random(seed), pause_s
        self.commits = 0
        self.error: Exception | None = None
        self._is_over = threading.Event()

    def run(self) -> None:
        while not self._is_over.wait(self._pause_s):
            try:
                self._write(self._chance)
            except Exception as error:  # noqa: BLE001 the test shows it
                self.error = error
                return
            self.commits += 1

    def stop(self) -> None:
        self._is_over.set()
        self.join(120)
        if self.error is not None:
            raise self.error


def by_spark(lake: Lake, sources: Sequence[str]) -> Callable[[random.Random], None]:
    """What changes one of the sources by a statement of Spark's."""
    session = lake.spark.newSession()

    def write(chance: random.Random) -> None:
        table = f"{lake}.{chance.choice(sources)}"
        k, v = chance.randrange(7), chance.randrange(100)
        ways = [
            f"INSERT INTO {table} VALUES ({k}, {v}), ({k}, {v})",
            f"UPDATE {table} SET v = v + 1, k = (k + 1) % 7 WHERE k = {k}",
            f"DELETE FROM {table} WHERE k = {k} AND v % 3 = {v % 3}",
            f"MERGE INTO {table} AS t USING (SELECT {k} AS k, {v} AS v) AS s ON t.k = s.k AND t.v = s.v "
            "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        ]
        optimize = f"OPTIMIZE {table}"
        session.sql(optimize if chance.random() < OPTIMIZED else chance.choice(ways))

    return write


def by_delta_rs(lake: Lake, sources: Sequence[str]) -> Callable[[random.Random], None]:
    """What changes one of the sources by another engine than Spark: the same statements at a hundredth of the cost."""

    def write(chance: random.Random) -> None:
        table = DeltaTable(str(lake.path(chance.choice(sources))))
        k, v = chance.randrange(7), chance.randrange(100)
        rows = pa.table({"k": [k, k], "v": [v, v]}, schema=SCHEMA)
        ways: list[Callable[[], object]] = [
            lambda: write_deltalake(table, rows, mode="append"),
            lambda: table.update(updates={"v": "v + 1", "k": "(k + 1) % 7"}, predicate=f"k = {k}"),
            lambda: table.delete(f"k = {k} AND v % 3 = {v % 3}"),
            table.merge(rows.slice(0, 1), "t.k = s.k AND t.v = s.v", "s", "t")
            .when_matched_delete()
            .when_not_matched_insert_all()
            .execute,
        ]
        (table.optimize.compact if chance.random() < OPTIMIZED else chance.choice(ways))()

    return write


class Reader(threading.Thread):
    """Reads the tables over and over, and keeps what it saw with the versions before and after."""

    def __init__(self, lake: Lake, names: list[str]) -> None:
        super().__init__(daemon=True)
        self.lake, self.session, self.names = lake, lake.spark.newSession(), names
        self.seen: list[tuple[str, int, Counter[Any], int]] = []
        self._is_over = threading.Event()

    def run(self) -> None:
        for name in itertools.cycle(self.names):
            if self._is_over.wait(0.2):
                return
            before = self.lake.version(name)
            rows = bag(self.session.sql(f"SELECT * FROM {self.lake}.{name}").collect())
            self.seen.append((name, before, rows, self.lake.version(name)))

    def stop(self) -> None:
        self._is_over.set()
        self.join(120)


class Oracle:
    """Each version of each stream table against its query, written over the sources alone, at the versions it names.

    Neither Spark nor we take part: delta-rs reads the tables, DuckDB answers.
    """

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self._rows: dict[tuple[str, int], pa.Table] = {}
        self._stamps: dict[str, list[dict[str, Any] | None]] = {}

    def check(self, name: str, version: int) -> None:
        """The rows of one version are the answer at the moment that its commit names."""
        stamps = self._stamps_of(name)[: version + 1]
        stamp = next(stamp for stamp in reversed(stamps) if stamp)
        bases = stamp["bases"] or stamp["positions"]
        versions = {key.split("`")[3]: position["version"] for key, position in bases.items()}
        expected = self._answer(name, versions)
        assert_same(self._bag(name, version), expected, f"{name} version {version}, at {versions}")

    def check_read(self, name: str, before: int, rows: Counter[Any], after: int) -> None:
        """What a reader saw is one of the versions that there were meanwhile."""
        versions = range(before, after + 1)
        assert any(rows == self._bag(name, version) for version in versions), (
            f"{name}: a reader saw no version of {before} to {after}, but {rows}"
        )

    def check_numbers(self, name: str) -> None:
        """Every refresh is in the table's log once."""
        numbers = [stamp["number"] for stamp in self._stamps_of(name) if stamp]
        assert numbers == list(range(1, len(numbers) + 1)), f"{name}: lost or doubled: {numbers}"

    def _stamps_of(self, name: str) -> list[dict[str, Any] | None]:
        """What each version's commit carries: of those that are new since the last look, read."""
        known = self._stamps.setdefault(name, [])
        for commit in self.lake.commits(name, since=len(known)):
            text = commit["commitInfo"].get("userMetadata")
            known.append(json.loads(text) if text else None)
        return known

    def _at(self, name: str, version: int) -> pa.Table:
        if (name, version) not in self._rows:
            table = DeltaTable(str(self.lake.path(name)), version=version)
            found = QueryBuilder().register("t", table).execute("SELECT * FROM t").read_all()
            self._rows[name, version] = pa.table(found)
        return self._rows[name, version]

    def _bag(self, name: str, version: int) -> Counter[Any]:
        rows = self._at(name, version).to_pylist()
        return bag(tuple(row.values()) for row in rows)

    def _answer(self, name: str, versions: dict[str, int]) -> Counter[Any]:
        before = itertools.takewhile(lambda other: other != name, TABLES)
        ctes = ", ".join(f"{other} AS ({TABLES[other][1]})" for other in before)
        query = f"{'WITH ' + ctes if ctes else ''} {TABLES[name][1]}".replace("$.", "")
        with duckdb.connect() as duck:
            for source in SOURCES:  # those that are not named are not read
                is_read = source in versions
                rows = self._at(source, versions[source]) if is_read else SCHEMA.empty_table()
                duck.register(source, rows)
            return bag(duck.sql(query).fetchall())


class Watch:
    """Looks after kills: no refresh lost or doubled, and each table's newest version the answer at its moment."""

    def __init__(self, lake: Lake) -> None:
        self._oracle, self._lake = Oracle(lake), lake
        self._seen = dict.fromkeys(TABLES, -1)
        self.checked = 0

    def check(self) -> None:
        """The newest versions, where they have not been looked at."""
        for name, seen in self._seen.items():
            self._oracle.check_numbers(name)
            version = self._lake.version(name)
            if version > seen:
                self._oracle.check(name, version)
                self._seen[name] = version
                self.checked += 1
