"""What graphs of stream tables cost: a chain, a fan-out, a diamond, a mix, and many tables without news.

BASE=1e5 TABLES=100 ROUNDS=5 python tests/benchmarks/graph.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.meter import Meter
from benchmarks.session import session, setting

import streamtables

if TYPE_CHECKING:
    from benchmarks.meter import Cost
    from pyspark.sql import SparkSession

SOURCE = "SELECT id, id % 100 AS part, id % 7 AS amount"


def main() -> None:
    rows, tables = int(float(setting("BASE", "1e5"))), int(setting("TABLES", "100"))
    rounds = int(setting("ROUNDS", "5"))
    shapes = {
        "chain of 10": chain(10),
        "fan-out of 20": fan_out(20),
        "diamond": diamond(),
        "mix of 60": mix(12),
    }
    print("| graph | tables | news s | per table s | jobs | no news s | per table ms | jobs |")
    print("|---|---|---|---|---|---|---|---|")
    with session() as (spark, folder):
        meter = Meter(spark)
        for number, (name, queries) in enumerate(shapes.items()):
            st = made(spark, folder, f"g{number}", queries, rows)
            news, quiet = [], []
            for _ in range(rounds):
                spark.sql(f"INSERT INTO g{number}.s {SOURCE} FROM range(100)")
                news.append(meter.of(lambda: refreshed(st)))  # noqa: B023
                quiet.append(meter.of(lambda: refreshed(st)))  # noqa: B023
            tell(name, len(queries), news, quiet)
        st = made(spark, folder, "quiet", fan_out(tables), rows)
        tell("without news", tables, [], [meter.of(lambda: refreshed(st)) for _ in range(rounds)])


def made(
    spark: SparkSession, folder: Path, schema: str, queries: dict[str, str], rows: int
) -> streamtables.StreamTables:
    """A source, and a registry with stream tables over it."""
    spark.sql(f"CREATE SCHEMA {schema}")
    spark.sql(f"CREATE TABLE {schema}.s USING delta AS {SOURCE} FROM range({rows})")
    st = streamtables.StreamTables(spark, f"{folder}/{schema}")
    for table, query in queries.items():
        st.create_stream_table(f"{schema}.{table}", query.format(schema))
    return st


def tell(name: str, count: int, news: list[Cost], quiet: list[Cost]) -> None:
    """One row of the table, of medians."""
    cells: list[object] = [name, count]
    for costs, unit, digits in ((news, 1, 3), (quiet, 1000, 1)):
        seconds = median(cost.seconds for cost in costs) if costs else 0.0
        jobs = median(cost.jobs for cost in costs) if costs else 0
        found = [f"{seconds:.2f}", f"{unit * seconds / count:.{digits}f}", f"{jobs:g}"]
        cells += found if costs else [""] * len(found)
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def refreshed(st: streamtables.StreamTables) -> None:
    """Refresh all; a failure is a row there, and would be fast."""
    for refresh in st.refresh_all():
        if refresh.action.is_failure:
            raise AssertionError(f"{refresh.name}: {refresh.error}")


def chain(length: int) -> dict[str, str]:
    """Each reads the one before."""
    first = {"t0": "SELECT id, part, amount FROM {0}.s"}
    rest = {
        f"t{i}": f"SELECT id, part, amount + 1 AS amount FROM {{0}}.t{i - 1}"
        for i in range(1, length)
    }
    return first | rest


def fan_out(count: int) -> dict[str, str]:
    """All read the same source."""
    return {f"t{i}": f"SELECT id, amount + {i} AS amount FROM {{0}}.s" for i in range(count)}


def diamond() -> dict[str, str]:
    """Two ways to the same table."""
    return {
        "sums": "SELECT part, sum(amount) AS total FROM {0}.s GROUP BY part",
        "counts": "SELECT part, count(*) AS n FROM {0}.s GROUP BY part",
        "both": "SELECT a.part, a.total, b.n FROM {0}.sums a JOIN {0}.counts b ON a.part = b.part",
    }


def mix(groups: int) -> dict[str, str]:
    """In each group a filter, sums and DISTINCT over the source, a join of both and a filter over that."""
    found = {}
    for i in range(groups):
        found |= {
            f"few{i}": f"SELECT id, part, amount FROM {{0}}.s WHERE amount <> {i % 7}",
            f"sums{i}": f"SELECT part, sum(amount) AS total FROM {{0}}.s WHERE id % {i + 1} = 0 GROUP BY part",
            f"parts{i}": f"SELECT DISTINCT part FROM {{0}}.few{i}",
            f"both{i}": f"SELECT p.part, s.total FROM {{0}}.parts{i} p JOIN {{0}}.sums{i} s ON p.part = s.part",
            f"large{i}": f"SELECT part, total FROM {{0}}.both{i} WHERE total > {10 * i}",
        }
    return found


if __name__ == "__main__":
    main()
