"""Refreshes as tables and batches grow: many views over one set of sources, refreshed in step.

    BASE=1e6,1e8 BATCH=1000,1e6 VIEWS=star,distinct ROUNDS=5 python tests/benchmarks/large.py

Each batch is made once, and every view refreshed after it; the first of each size only warms up. After the last one
each view is recomputed beside, twice of which the faster counts, and must be what is stored.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.cell import fingerprint
from benchmarks.data import SCHEMA, Sizes, fill
from benchmarks.meter import Meter
from benchmarks.report import machine
from benchmarks.session import session, setting, settings
from benchmarks.views import VIEWS

import streamtables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from streamtables.model import Refresh

HEAD = "| view | base | batch | action | s | each s | full s | full / s | jobs | rows collected | peak MB |"
Record = dict[str, Any]


def main() -> None:
    records: list[Record] = []
    batches = [int(float(batch)) for batch in settings("BATCH", "1000")]
    for base in (int(float(base)) for base in settings("BASE", "1e6,1e7")):
        with session() as (spark, folder):
            records += measured(spark, folder, base, batches)
        Path("bench").mkdir(exist_ok=True)
        text = json.dumps({"machine": machine(), "refreshes": records}, indent=1)
        Path("bench", "large.json").write_text(text, encoding="utf-8")
    print(f"{HEAD}\n|{'---|' * 11}")
    for cell in dict.fromkeys((r["view"], r["base"], r["batch"]) for r in records):
        print(row([r for r in records if (r["view"], r["base"], r["batch"]) == cell]))


def measured(spark: SparkSession, folder: Path, base: int, batches: list[int]) -> list[Record]:
    """Each refresh of each view, and what recomputing took."""
    fill(spark, Sizes(base, batches[0]))
    st, meter, records, changed = streamtables.StreamTables(spark, str(folder)), Meter(spark), [], 0
    names = settings("VIEWS", ",".join(VIEWS))
    for name in names:
        mode = setting("MODE", "AUTO")
        spent = meter.of(lambda: made(st, name, mode))  # noqa: B023
        print(f"made {name} over {base:,} rows: {spent.seconds:.1f} s", flush=True)
    for batch in batches:
        for number in range(1 + int(setting("ROUNDS", "3"))):
            changed = (changed // batch + 2) * batch
            for text in Sizes(base, batch).batch_of(changed // batch - 1, is_two_sources=True):
                spark.sql(text)
            for name in names:
                record = {"view": name, "base": base, "batch": batch, "round": number}
                records.append(record | refreshed(st, meter, name))
                told = " ".join(f"{key}={value}" for key, value in records[-1].items())
                print(told, flush=True)
    full = {name: recomputed(st, meter, name) for name in names}
    return [record | {"full": full[record["view"]]} for record in records]


def made(st: streamtables.StreamTables, name: str, mode: str) -> None:
    """Create a view as a stream table."""
    st.create_stream_table(f"{SCHEMA}.{name}", VIEWS[name].query, refresh_mode=mode)


def refreshed(st: streamtables.StreamTables, meter: Meter, name: str) -> Record:
    """What one refresh took."""
    done: list[Refresh] = []
    cost = meter.of(lambda: done.append(st.refresh(f"{SCHEMA}.{name}")))
    return {
        "seconds": round(cost.seconds, 3),
        "action": done[0].action.value,
        "jobs": cost.jobs,
        "collected": int(done[0].measures.get("rows_on_driver", 0)),
        "peak_mb": cost.peak_mb,
    }


def recomputed(st: streamtables.StreamTables, meter: Meter, name: str) -> float:
    """The seconds of recomputing a view, whose answer must be what is stored."""
    stored, copy = f"{SCHEMA}.{name}", f"{SCHEMA}.{name}_full"
    st.spark.sql(f"CREATE TABLE {copy} USING delta AS SELECT * FROM {stored} WHERE false")
    text = f"INSERT OVERWRITE {copy} {VIEWS[name].query}"
    seconds = min(meter.of(lambda: st.spark.sql(text)).seconds for _ in range(2))
    if fingerprint(st.spark.table(stored)) != fingerprint(st.spark.table(copy)):
        raise AssertionError(f"{stored} is not its query")
    st.spark.sql(f"DROP TABLE {copy}")
    print(f"recomputed {name}: {seconds:.1f} s, the same", flush=True)
    return seconds


def row(records: list[Record]) -> str:
    """The refreshes of one view at one size, as a row of the table."""
    counted = [record for record in records if record["round"]] or records
    seconds, full = [record["seconds"] for record in counted], counted[0]["full"]
    jobs = median(record["jobs"] for record in counted)
    most = (max(record[what] for record in records) for what in ("collected", "peak_mb"))
    shape = [records[0]["view"], f"{records[0]['base']:.0e}", f"{records[0]['batch']:,}"]
    times = [f"{median(seconds):.2f}", " ".join(f"{s:.2f}" for s in seconds), f"{full:.1f}"]
    cells = [*shape, counted[-1]["action"].lower(), *times, f"{full / median(seconds):.1f}"]
    return "| " + " | ".join([*cells, f"{jobs:g}", *(f"{value:,}" for value in most)]) + " |"


if __name__ == "__main__":
    main()
