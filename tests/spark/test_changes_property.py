"""Random tables, random statements: every way to read a change gives the difference of the rows.

N is the number of tables, SEED the first seed. The rows of every version are collected when it is
made, and compared as bags in Python: the oracle shares nothing with what is tested.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.versions import bag, weights

from streamtables.spark.changes import read_changes
from streamtables.spark.log import DeltaLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

N = int(os.environ.get("N", "1"))
SEED = int(os.environ.get("SEED", "107"))
STATEMENTS = int(os.environ.get("STATEMENTS", "6"))
PAIRS = 3

# name: type, and the values that a row may have there
COLUMNS = {
    "k": ("INT", ["1", "2", "3", "4", "NULL"]),
    "p": ("INT", ["0", "1", "NULL"]),
    "s": ("STRING", ["'a'", "'b'", "''", "NULL"]),
    "d": ("DECIMAL(10,2)", ["1.50", "0", "NULL"]),
    "t": ("TIMESTAMP", ["TIMESTAMP'2024-02-29 01:02:03.456789'", "TIMESTAMP'1800-01-01'", "NULL"]),
    "x": ("DOUBLE", ["double('NaN')", "0.0D", "-0.0D", "1.5D", "NULL"]),
    "a b": ("ARRAY<STRUCT<u: INT>>", ["array(named_struct('u', 1))", "array()", "NULL"]),
    "m": ("MAP<STRING, INT>", ["map('a', 1, 'b', 2)", "map('b', 2, 'a', 1)", "NULL"]),
    "v": ("VARIANT", ["parse_json('{\"a\": 1}')", "to_variant_object(array(1.0D))", "NULL"]),
}


@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(SEED, SEED + N))
def test_every_way_gives_the_difference_of_the_rows(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    table = RandomTable(spark, str(tmp_path / "t"), random.Random(seed))
    print(f"SEED={seed}", *table.said, sep="\n")
    for _ in range(STATEMENTS):
        print(table.step())
    log = DeltaLog.of(spark, table.path)
    for start, end in table.pairs(PAIRS):
        names = table.some_columns(start, end)
        expected = table.difference(start, end, names)
        is_changed = any(commit.changes_rows for commit in log.commits(start, end))
        assert is_changed or not expected
        hows = set()
        ways = ((None, True), (None, False), ("files", True), ("files", False), ("snapshots", True))
        for how, is_here in ways:
            change = read_changes(spark, log, start, end, names, how, may_stay_here=is_here)
            assert weights(change.frame) == expected, (start, end, names, change.how)
            assert change.rows_estimate is None or change.rows_estimate >= sum(
                map(abs, expected.values())
            )
            hows.add(change.how)
        print(start, end, names, hows, sum(map(abs, expected.values())))


class RandomTable:
    """A table, what was said to it, and the rows of each of its versions."""

    def __init__(self, spark: SparkSession, path: str, rng: random.Random) -> None:
        self.spark, self.path, self.rng = spark, path, rng
        self.name = f"delta.`{path}`"
        self.said: list[str] = []
        self.rows: dict[int, Counter[Any]] = {}
        self.columns: dict[int, list[str]] = {}
        self.is_mapped = rng.random() < 0.4
        self.is_partitioned = rng.random() < 0.5
        self.added = 0
        self._create()

    def _create(self) -> None:
        rng = self.rng
        others = ["s", "d", "t", "x", "m", "v"] + ["a b"] * self.is_mapped
        self.values = {name: COLUMNS[name] for name in ["k", "p", *rng.sample(others, 3)]}
        properties = {
            "delta.enableChangeDataFeed": rng.random() < 0.5,
            "delta.enableDeletionVectors": rng.random() < 0.6,
            "delta.writePartitionColumnsToParquet": rng.random() < 0.7,
            "delta.enableRowTracking": rng.random() < 0.2,
            "delta.checkpointInterval": rng.choice([3, 100]),
        }
        if self.is_mapped:
            properties["delta.columnMapping.mode"] = "name"
        columns = ", ".join(f"`{name}` {kind}" for name, (kind, _) in self.values.items())
        partition = "PARTITIONED BY (p)" if self.is_partitioned else ""
        listed = ", ".join(f"'{key}' = '{str(v).lower()}'" for key, v in properties.items())
        self.say(
            f"CREATE TABLE {self.name} ({columns}) USING delta {partition} TBLPROPERTIES ({listed})"
        )
        self.say(f"INSERT INTO {self.name} {self.some_rows(12)}")

    def say(self, statement: str) -> str:
        self.said.append(statement)
        self.spark.sql(statement)
        frame = self.spark.read.format("delta").load(self.path)
        version = latest(self.path)
        self.rows[version] = bag(frame)
        self.columns[version] = frame.columns
        return f"{version}: {statement}"

    def step(self) -> str:
        kinds = {
            self.insert: 3, self.again: 2, self.update: 3, self.delete: 3, self.merge: 3,
            self.overwrite: 1, self.clear: 1, self.restore: 3, self.optimize: 2, self.purge: 1,
            self.delete_partition: 1, self.replace_where: 1, self.add_column: 1, self.switch: 1,
        }  # fmt: skip
        (kind,) = self.rng.choices(list(kinds), list(kinds.values()))
        return self.say(kind())

    def insert(self) -> str:
        return f"INSERT INTO {self.name} {self.some_rows(self.rng.randint(1, 4))}"

    def again(self) -> str:
        return f"INSERT INTO {self.name} SELECT * FROM {self.name} WHERE {self.condition()}"

    def update(self) -> str:
        name = self.rng.choice([n for n in self.values if n != "p"])
        return f"UPDATE {self.name} SET `{name}` = {self.value(name)} WHERE {self.condition()}"

    def delete(self) -> str:
        return f"DELETE FROM {self.name} WHERE {self.condition()}"

    def merge(self) -> str:
        keys = self.rng.sample(["1", "2", "3", "4", "5"], 2)
        values = ", ".join(f"{self.value(n)} AS `{n}`" if n != "k" else "k" for n in self.current())
        source = f"SELECT {values} FROM VALUES ({keys[0]}), ({keys[1]}) AS v(k)"
        matched = self.rng.choice(["UPDATE SET *", "DELETE"])
        return (
            f"MERGE INTO {self.name} t USING ({source}) s ON t.k = s.k"
            f" WHEN MATCHED THEN {matched} WHEN NOT MATCHED THEN INSERT *"
        )

    def overwrite(self) -> str:
        return f"INSERT OVERWRITE {self.name} {self.some_rows(self.rng.randint(1, 6))}"

    def clear(self) -> str:
        return f"DELETE FROM {self.name}"

    def restore(self) -> str:
        version = self.rng.choice(sorted(self.rows))
        return f"RESTORE TABLE {self.name} TO VERSION AS OF {version}"

    def optimize(self) -> str:
        return f"OPTIMIZE {self.name}"

    def purge(self) -> str:
        return f"REORG TABLE {self.name} APPLY (PURGE)"

    def delete_partition(self) -> str:
        return f"DELETE FROM {self.name} WHERE p <=> {self.value('p')}"

    def replace_where(self) -> str:
        row = ", ".join("1" if n == "p" else self.value(n) for n in self.current())
        return f"INSERT INTO {self.name} REPLACE WHERE p = 1 VALUES ({row})"

    def add_column(self) -> str:
        self.added += 1
        self.values[f"c{self.added}"] = ("STRING", ["'c'", "NULL"])
        return f"ALTER TABLE {self.name} ADD COLUMN c{self.added} STRING"

    def switch(self) -> str:
        name = self.rng.choice(["delta.enableChangeDataFeed", "delta.enableDeletionVectors"])
        value = self.rng.choice(["true", "false"])
        return f"ALTER TABLE {self.name} SET TBLPROPERTIES ('{name}' = '{value}')"

    def some_rows(self, count: int) -> str:
        rows = [", ".join(map(self.value, self.current())) for _ in range(count)]
        return "VALUES " + ", ".join(f"({row})" for row in rows)

    def current(self) -> list[str]:
        return self.columns[max(self.columns)] if self.columns else list(self.values)

    def value(self, name: str) -> str:
        return self.rng.choice(self.values[name][1])

    def condition(self) -> str:
        return self.rng.choice(
            ["k = 1", "k IN (2, 3)", "k IS NULL", "p = 0", "k = 4 OR p IS NULL", "k < 3"]
        )

    def pairs(self, count: int) -> list[tuple[int, int]]:
        versions = sorted(self.rows)
        found = [tuple(sorted(self.rng.sample(versions, 2))) for _ in range(count - 1)]
        return [(versions[1], versions[-1]), *found]

    def some_columns(self, start: int, end: int) -> list[str]:
        both = [name for name in self.columns[start] if name in self.columns[end]]
        return both if self.rng.random() < 0.7 else self.rng.sample(both, self.rng.randint(0, 3))

    def difference(self, start: int, end: int, names: list[str]) -> Counter[Any]:
        change: Counter[Any] = Counter()
        for sign, version in ((-1, start), (1, end)):
            for row, count in self.rows[version].items():
                values = dict(zip(self.columns[version], row, strict=True))
                change[tuple(values[name] for name in names)] += sign * count
        return Counter({row: weight for row, weight in change.items() if weight})


def latest(path: str) -> int:
    names = [file.name for file in Path(path, "_delta_log").glob("*.json")]
    return max(int(name[:20]) for name in names if name[:20].isdigit())
