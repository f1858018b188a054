"""Refreshes measured against recomputing, against a hand-written commit of the same change, and against DuckDB.

    BASE=1e6,1e7 BATCH=1,1000 VIEWS=join,top_3 ROUNDS=5 SOURCES=1,2 MODE=AUTO python tests/benchmarks/bench.py

With MODE=AUTO,INCREMENTAL,FULL each cell is measured in each mode, and AUTO's choices are judged.

All that is compared is measured in one run, because machines are busy: judge by the ratios and the counts. After each
batch the stream table, the recomputed table and the one written by hand must be the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import duckdb
from benchmarks import report
from benchmarks.cell import Bench
from benchmarks.data import Sizes, fill, fill_duck
from benchmarks.meter import Meter
from benchmarks.plot import plot
from benchmarks.session import session, setting, settings
from benchmarks.views import VIEWS

import streamtables

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--compare", type=Path, help="the bench.json of an earlier run")
    arguments.add_argument("--out", type=Path, default=Path("bench"), help="where results go")
    options = arguments.parse_args()
    old = report.load(options.compare) if options.compare else []
    records: list[dict[str, Any]] = []
    for record in measured():
        records.append(record)
        ratios = f"{record['to_full']:.2f} of full, {record['to_bare']:.2f} of bare"
        print(f"{record['view']:16} {ratios}", flush=True)
        report.save(records, options.out)
    print(f"\n{report.table(records)}")
    (options.out / "bench.svg").write_text(plot(records), encoding="utf-8")
    if old:
        print(f"\n{report.compared(records, old)}")


def measured() -> Iterator[dict[str, Any]]:
    """Every cell that the environment asks for."""
    rounds = int(setting("ROUNDS", "3"))
    shapes = [
        (n == "2", mode) for n in settings("SOURCES", "2") for mode in settings("MODE", "AUTO")
    ]
    batches = [int(float(batch)) for batch in settings("BATCH", "1000")]
    for base in (int(float(base)) for base in settings("BASE", "1e6")):
        with session() as (spark, folder), duckdb.connect(f"{folder}/duck.db") as duck:
            fill(spark, Sizes(base, batches[0]))
            fill_duck(duck, Sizes(base, batches[0]))
            st = streamtables.StreamTables(spark, str(folder))
            bench = Bench(spark, duck, st, Meter(spark))
            for view in settings("VIEWS", ",".join(VIEWS)):
                for sizes in (Sizes(base, batch) for batch in batches):
                    for is_two, mode in shapes:
                        cell = bench.run(view, sizes, mode, rounds, is_two_sources=is_two)
                        yield report.as_json(cell, sizes, mode, is_two_sources=is_two)


if __name__ == "__main__":
    main()
