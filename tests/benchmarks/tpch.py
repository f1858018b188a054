"""TPC-H's 22 queries as stream tables under its refresh functions, against recomputing them.

    SF=1 SHARE=0.001 ROUNDS=3 MODE=AUTO VIEWS=q01,q05 python tests/benchmarks/tpch.py

A round inserts a share of new orders with their lines (RF1) and deletes as many old ones (RF2). The first is not
counted: it only warms up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.meter import Meter
from benchmarks.report import machine
from benchmarks.session import session, setting, settings
from helpers.tpch import KEYS_PER_ORDER, ORDERS_PER_SCALE, generate
from helpers.workload import queries

import streamtables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from streamtables.model import Refresh

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
        records: list[dict[str, Any]] = []
        for number in range(1 + int(setting("ROUNDS", "3"))):
            for text in refresh_functions(number, scale, share):
                spark.sql(text)
            for name in names:
                records.append({"round": number, **measured(meter, st, name, texts[name])})
            tell(number, records)
            save(records, Path("bench", "tpch.json"))
    report([record for record in records if record["round"]])


def measured(meter: Meter, st: streamtables.StreamTables, name: str, query: str) -> dict[str, Any]:
    """One refresh and one recomputing of a view, which must agree."""
    done: list[Refresh] = []
    refresh = meter.of(lambda: done.append(st.refresh(name)))
    full = meter.of(lambda: st.spark.sql(f"INSERT OVERWRITE full_{name} {query}"))
    if not st.verify(name):
        raise AssertionError(f"{name} is not its query")
    told = done[0]
    return {
        "view": name,
        "seconds": refresh.seconds,
        "full": full.seconds,
        "jobs": refresh.jobs,
        "action": told.action.value,
        "reason": told.reason,
        "measures": dict(told.measures),
    }


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


def tell(number: int, records: list[dict[str, Any]]) -> None:
    """How a round went, as soon as it is over."""
    mine = [record for record in records if record["round"] == number]
    one, other = (sum(record[way] for record in mine) for way in ("seconds", "full"))
    print(f"round {number}: {one:.1f} s refreshing, {other:.1f} s recomputing", flush=True)


def save(records: list[dict[str, Any]], file: Path) -> None:
    """Keep every measurement of every round, for a look at what AUTO thought."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"machine": machine(), "rounds": records}, indent=1), "utf-8")


def report(records: list[dict[str, Any]]) -> None:
    """Medians per view, and in all."""
    print("| view | actions | refresh s | full s | /full | jobs |\n|---|---|---|---|---|---|")
    totals = [0.0, 0.0]
    for name in dict.fromkeys(record["view"] for record in records):
        mine = [record for record in records if record["view"] == name]
        one, other, jobs = (median(r[what] for r in mine) for what in ("seconds", "full", "jobs"))
        totals = [totals[0] + one, totals[1] + other]
        ways = " ".join(record["action"][0] for record in mine)
        print(f"| {name} | {ways} | {one:.2f} | {other:.2f} | {one / other:.2f} | {jobs:g} |")
    print(f"| all | | {totals[0]:.2f} | {totals[1]:.2f} | {totals[0] / totals[1]:.2f} | |")


if __name__ == "__main__":
    main()
