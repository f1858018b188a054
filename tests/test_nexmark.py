"""Nexmark's 23 queries as stream tables, while events come in and out of order, are corrected and are taken back.

`NEXMARK_EVENTS` and `NEXMARK_ROUNDS` in the environment make it larger.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from helpers.nexmark import generate
from helpers.workload import Workload, follow_on_duckdb, follow_on_spark, queries

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

EVENTS = int(os.environ.get("NEXMARK_EVENTS", "3000"))
ROUNDS = int(os.environ.get("NEXMARK_ROUNDS", "10"))


@pytest.fixture(scope="module")
def nexmark(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """The tables, made once."""
    return generate(tmp_path_factory.mktemp("nexmark"), EVENTS, ROUNDS)


def test_there_are_23() -> None:
    assert list(queries("nexmark")) == [f"q{number:02}" for number in range(23)]


@pytest.mark.long
@pytest.mark.parametrize("view", queries("nexmark"))
def test_on_duckdb(view: str, nexmark: Workload) -> None:
    course = follow_on_duckdb(nexmark, queries("nexmark")[view])
    assert max(course.sizes) > 0, "an answer that stays empty shows nothing"
    assert course.moved >= ROUNDS / 2, f"only {course.moved} of {ROUNDS} rounds change the answer"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_on_spark(spark: SparkSession, tmp_path: Path, nexmark: Workload) -> None:
    moved = follow_on_spark(nexmark, Lake(spark, tmp_path, "nexmark"))
    assert min(moved.values()) >= ROUNDS / 2, moved
