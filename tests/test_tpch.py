"""TPC-H's 22 queries as stream tables, while orders come and go and everything else is updated.

`TPCH_SCALE` (the benchmark's scale factor) and `TPCH_ROUNDS` in the environment make it larger.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from helpers.tpch import generate
from helpers.workload import Workload, follow_on_duckdb, follow_on_spark, queries

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCALE = float(os.environ.get("TPCH_SCALE", "0.002"))
ROUNDS = int(os.environ.get("TPCH_ROUNDS", "10"))


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """The tables, made once."""
    return generate(tmp_path_factory.mktemp("tpch"), SCALE, ROUNDS)


def test_there_are_22() -> None:
    assert list(queries("tpch")) == [f"q{number:02}" for number in range(1, 23)]


@pytest.mark.long
@pytest.mark.parametrize("view", queries("tpch"))
def test_on_duckdb(view: str, tpch: Workload) -> None:
    course = follow_on_duckdb(tpch, queries("tpch")[view])
    assert max(course.sizes) > 0, "an answer that stays empty shows nothing"
    assert course.moved >= ROUNDS / 2, f"only {course.moved} of {ROUNDS} rounds change the answer"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_on_spark(spark: SparkSession, tmp_path: Path, tpch: Workload) -> None:
    moved = follow_on_spark(tpch, Lake(spark, tmp_path, "tpch"))
    assert min(moved.values()) >= ROUNDS / 2, moved
