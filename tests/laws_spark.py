"""The first law on Spark and Delta Lake: random queries, refreshed after random changes, are the query run in full.

    N=300 SEED=1 python tests/laws_spark.py

N counts refreshes that are compared. Every query is created with `refresh_mode="INCREMENTAL"`: a refusal, and a refresh
that recomputes, are failures. `tests/laws.py` runs the same scripts by the thousand on DuckDB, where failures shrink.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from helpers.lake import Lake
from helpers.random_queries import random_script

import streamtables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BATCHES = 4
TELL_EVERY = 10


def main() -> int:
    """Run until N refreshes are compared; gives the number of scripts that failed."""
    wanted = int(os.environ.get("N", "300"))
    seed = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))
    print(f"SEED={seed} N={wanted}", flush=True)
    started, checks, scripts, broken = time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        spark = streamtables.create_session(
            f"{folder}/warehouse", app_name="laws", master="local[2]"
        )
        while checks < wanted:
            try:
                checks += check(spark, Path(folder), seed + scripts)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is a finding
                broken += 1
                script = random_script(random.Random(seed + scripts), BATCHES)
                print(f"-- seed {seed + scripts}\n{script}\n-- {type(error).__name__}: {error}")
            scripts += 1
            if not scripts % TELL_EVERY:
                print(f"{checks} checks of {scripts} queries", flush=True)
        spark.stop()
    minutes = (time.monotonic() - started) / 60
    print(f"{checks} checks of {scripts} queries in {minutes:.1f} min, {broken} broken")
    return broken


def check(spark: SparkSession, folder: Path, seed: int) -> int:
    """Follow one script; gives the number of refreshes."""
    script = random_script(random.Random(seed), BATCHES)
    lake = Lake(spark, folder, f"law_{seed}")
    lake.sql(f"USE {lake}")
    try:
        lake.sql(*(f"{table.create} USING delta" for table in script.tables), *script.setup)
        lake.st.create_stream_table(f"{lake}.law", script.query, refresh_mode="INCREMENTAL")
        lake.check("law")
        for batch in script.batches:
            lake.sql(*batch)
            refresh = lake.st.refresh(f"{lake}.law")
            assert refresh.action.value in ("INCREMENTAL", "NO_DATA"), refresh
            lake.check("law")
    finally:
        lake.sql("USE default", f"DROP SCHEMA {lake} CASCADE")
    return len(script.batches)


if __name__ == "__main__":
    sys.exit(bool(main()))
