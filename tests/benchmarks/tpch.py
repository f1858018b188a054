"""TPC-H's 22 queries as stream tables under its refresh functions, against recomputing them.

    SF=1 SHARE=0.001 ROUNDS=3 MODE=AUTO VIEWS=q01,q05 python tests/benchmarks/tpch.py

A round inserts a share of new orders with their lines (RF1) and deletes as many old ones (RF2). The first is not
counted: it only warms up.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.meter import Meter
from benchmarks.session import session, setting, settings
from helpers.tpch import KEYS_PER_ORDER, ORDERS_PER_SCALE, generate
from helpers.workload import queries

import streamtables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

KEYS = (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))


def main() -> None:
    scale, share = float(setting("SF", "0.1")), float(setting("SHARE", "0.001"))
    texts = queries("tpch")
    names = settings("VIEWS", ",".join(texts))
    with session() as (spark, folder):
        fill(spark, folder, scale)
        st, meter = streamtables.StreamTables(spark, str(folder)), Meter(spark)
        for name in names:
            st.create_stream_table(name, texts[name], refresh_mode=setting("MODE", "AUTO"))
            spark.sql(
                f"CREATE TABLE full_{name} USING delta "
                f"TBLPROPERTIES ('delta.columnMapping.mode' = 'name') AS SELECT * FROM {name}"
            )
        costs: dict[str, list[tuple[float, float, int, str]]] = {name: [] for name in names}
        for number in range(1 + int(setting("ROUNDS", "3"))):
            for text in refresh_functions(number, scale, share):
                spark.sql(text)
            for name in names:
                done = []
                refresh = meter.of(lambda: done.append(st.refresh(name)))  # noqa: B023
                full = meter.of(lambda: spark.sql(f"INSERT OVERWRITE full_{name} {texts[name]}"))  # noqa: B023
                if not st.verify(name):
                    raise AssertionError(f"{name} is not its query in round {number}")
                if number:
                    costs[name].append(
                        (refresh.seconds, full.seconds, refresh.jobs, done[0].action.value)
                    )
    report(costs)


def fill(spark: SparkSession, folder: Path, scale: float) -> None:
    """The tables, less the orders that come later."""
    workload = generate(folder / "tpch", scale, 1)
    spark.sql("CREATE SCHEMA tpch")
    spark.sql("USE tpch")
    for table in workload.tables:
        writer = spark.read.parquet(str(workload.path(table))).writeTo(f"tpch.{table}")
        writer.using("delta").tableProperty("delta.enableDeletionVectors", "true").create()
    for text in workload.setup:
        spark.sql(text.replace(" AS SELECT ", " USING delta AS SELECT ", 1))


def refresh_functions(number: int, scale: float, share: float) -> Iterator[str]:
    """RF1 and RF2; an eighth of the orders lies aside to come."""
    parts = max(1, round(1 / share / 8))
    step = int(scale * ORDERS_PER_SCALE * KEYS_PER_ORDER * share)
    for table, key in KEYS:
        yield f"INSERT INTO {table} SELECT * FROM late_{table} WHERE {key} DIV 32 % {parts} = {number}"
        yield f"DELETE FROM {table} WHERE {key} BETWEEN {number * step} AND {(number + 1) * step - 1}"


def report(costs: dict[str, list[tuple[float, float, int, str]]]) -> None:
    """Medians per view, and in all."""
    print("| view | action | refresh s | full s | /full | jobs |\n|---|---|---|---|---|---|")
    totals = [0.0, 0.0]
    for name, rounds in costs.items():
        one, other = (median(cost[i] for cost in rounds) for i in (0, 1))
        totals = [totals[0] + one, totals[1] + other]
        jobs, action = median(cost[2] for cost in rounds), rounds[-1][3].lower()
        print(f"| {name} | {action} | {one:.2f} | {other:.2f} | {one / other:.2f} | {jobs:g} |")
    print(f"| all | | {totals[0]:.2f} | {totals[1]:.2f} | {totals[0] / totals[1]:.2f} | |")


if __name__ == "__main__":
    main()
