"""What graphs of stream tables cost: a chain, a fan-out, a diamond, and many tables without news.

BASE=1e5 TABLES=100 ROUNDS=5 python tests/benchmarks/graph.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.meter import Meter
from benchmarks.session import session, setting

import streamtables

SOURCE = "SELECT id, id % 100 AS part, id % 7 AS amount"


def main() -> None:
    rows, tables = int(float(setting("BASE", "1e5"))), int(setting("TABLES", "100"))
    rounds = int(setting("ROUNDS", "5"))
    shapes = {
        "chain of 10": chain(10),
        "fan-out of 20": fan_out(20),
        "diamond": diamond(),
        f"{tables} tables without news": fan_out(tables),
    }
    print("| graph | tables | news s | per table s | jobs | no news s | per table ms | jobs |")
    print("|---|---|---|---|---|---|---|---|")
    with session() as (spark, folder):
        meter = Meter(spark)
        for number, (name, queries) in enumerate(shapes.items()):
            schema = f"g{number}"
            spark.sql(f"CREATE SCHEMA {schema}")
            spark.sql(f"CREATE TABLE {schema}.s USING delta AS {SOURCE} FROM range({rows})")
            st = streamtables.StreamTables(spark, f"{folder}/{schema}")
            for table, query in queries.items():
                st.create_stream_table(f"{schema}.{table}", query.format(schema))
            news, quiet = [], []
            for _ in range(rounds):
                spark.sql(f"INSERT INTO {schema}.s {SOURCE} FROM range(100)")
                news.append(meter.of(lambda: refreshed(st)))  # noqa: B023
                quiet.append(meter.of(lambda: refreshed(st)))  # noqa: B023
            one, other = (median(cost.seconds for cost in costs) for costs in (news, quiet))
            jobs = [median(cost.jobs for cost in costs) for costs in (news, quiet)]
            count = len(queries)
            print(
                f"| {name} | {count} | {one:.2f} | {one / count:.3f} | {jobs[0]:g} "
                f"| {other:.3f} | {1000 * other / count:.1f} | {jobs[1]:g} |",
                flush=True,
            )


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


if __name__ == "__main__":
    main()
