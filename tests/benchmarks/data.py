"""The sources, by arithmetic on row numbers: the same rows on Spark and on DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import SparkSession

SCHEMA = "bench"
ROWS_PER_FILE = 10_000_000
# No multiple of 2 or 5, so that walking in such steps meets each row of a table of 10ⁿ once.
STEP = 7_919_993


@dataclass(frozen=True)
class Sizes:
    """How many rows each table has, and how many rows a batch changes."""

    base: int
    batch: int

    @property
    def customers(self) -> int:
        """Rows of `dim`: fifty facts have the same customer."""
        return max(10, self.base // 50)

    def tables(self) -> dict[str, str]:
        """Each table's rows, as a query that Spark and DuckDB both understand."""
        return {
            "fact": f"SELECT i AS id, i % 50 AS region, (i * 7919) % {self.customers} AS cust, "
            "CAST((i * 31) % 1000 AS DECIMAL(10, 2)) AS amount, CAST(i AS DOUBLE) / 8 AS ratio "
            f"FROM range({self.base}) AS r(i)",
            "dim": "SELECT i AS cust, concat('customer ', CAST(i % 97 AS STRING)) AS name, i % 7 AS seg "
            f"FROM range({self.customers}) AS r(i)",
            "place": "SELECT i AS region, i % 5 AS zone FROM range(50) AS r(i)",
            "other": f"SELECT i * 3 AS id, (i * 3) % 50 AS region FROM range({self.base // 3}) AS r(i)",
            "tree": "SELECT i AS id, CASE WHEN i >= 4 THEN CAST(floor(i / 4) AS BIGINT) END AS parent "
            f"FROM range({max(10, self.base // 100)}) AS r(i)",
        }

    def batch_of(self, number: int, *, is_two_sources: bool) -> list[str]:
        """One batch of changes: 70 % of its rows updates, 15 % deletes, 15 % inserts; and a few in other tables."""
        first = number * self.batch
        rows = (
            f"SELECT CASE WHEN i % 20 < 3 THEN 'D' WHEN i % 20 < 6 THEN 'I' ELSE 'U' END AS op, "
            f"CASE WHEN i % 20 >= 3 AND i % 20 < 6 THEN {self.base} + {first} + i "
            f"ELSE (({first} + i) * {STEP}) % {self.base} END AS id "
            f"FROM range({self.batch}) AS r(i)"
        )
        if self.batch < 20:
            rows = rows.replace("i % 20", "(i + 6) % 20")
        facts = (
            f"MERGE INTO fact AS t USING ({rows}) AS c ON t.id = c.id "
            "WHEN MATCHED AND c.op = 'D' THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET amount = t.amount + 1, cust = (t.cust + 17) % {self.customers} "
            "WHEN NOT MATCHED AND c.op = 'I' THEN INSERT (id, region, cust, amount, ratio) "
            f"VALUES (c.id, c.id % 50, c.id % {self.customers}, 5, 0.125)"
        )
        few = max(1, self.batch // 100)
        apart = max(8, self.base // 100 // few)
        tree = (
            f"UPDATE tree SET parent = (id + {number}) % 4 "
            f"WHERE id >= 16 AND id % {apart} = {number % 7}"
        )
        if not is_two_sources:
            return [facts, tree]
        return [
            facts,
            tree,
            f"UPDATE dim SET name = concat(name, 'x') WHERE cust % {max(1, self.customers // few)} = {number}",
            f"UPDATE other SET region = (region + 1) % 50 WHERE id % {max(3, self.base // few)} < 3",
        ]


def fill(spark: SparkSession, sizes: Sizes) -> None:
    """Make the tables in Spark."""
    spark.sql(f"CREATE SCHEMA {SCHEMA}")
    spark.sql(f"USE {SCHEMA}")
    for table, query in sizes.tables().items():
        writer = spark.sql(query).coalesce(1).writeTo(f"{SCHEMA}.{table}").using("delta")
        writer = writer.option("maxRecordsPerFile", str(ROWS_PER_FILE))
        writer.tableProperty("delta.enableDeletionVectors", "true").create()


def fill_duck(duck: duckdb.DuckDBPyConnection, sizes: Sizes) -> None:
    """Make them in DuckDB."""
    for table, query in sizes.tables().items():
        duck.execute(f"CREATE TABLE {table} AS {query}")
