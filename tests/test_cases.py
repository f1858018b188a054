"""Every case of sql/, on DuckDB and on Spark with Delta Lake."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from helpers.specification import SQL

import streamtables
from streamtables.spark import driver, inputs, local, work
from streamtables.spark.plain import NotPlain
from streamtables.testing.cases import Case, read_cases
from streamtables.testing.duck_lane import DuckLane
from streamtables.testing.follow import check_refused, follow
from streamtables.testing.spark_lane import SparkLane

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import SparkSession

SAMPLE = 60
CASES = [case for case in read_cases(SQL) if os.environ.get("CASES", "") in case.id]


def cases(*modes: str, is_sample: bool = False) -> pytest.MarkDecorator:
    """The cases of some modes; `CASES=join` in the environment leaves only those with that in their id.

    On Spark a case takes seconds: a sample, a larger one of what DuckDB cannot run, is run each time, the rest by
    `make slow`.
    """
    chosen = [case for case in CASES if case.mode in modes]
    late = [is_sample and not _is_sampled(case) for case in chosen]
    marked = [
        pytest.param(case, marks=pytest.mark.slow if is_late else (), id=case.id)
        for case, is_late in zip(chosen, late, strict=True)
    ]
    return pytest.mark.parametrize("case", marked)


def _is_sampled(case: Case) -> bool:
    is_for_spark = case.lane.startswith("spark")
    is_chosen = case.number % (4 if is_for_spark else SAMPLE) == 0
    return is_chosen and (is_for_spark or case.id.startswith("operators/"))


@pytest.fixture(scope="module")
def st(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> streamtables.StreamTables:
    """The registry of all cases."""
    return streamtables.StreamTables(spark, str(tmp_path_factory.mktemp("cases")))


def leave_all_to_spark(patch: pytest.MonkeyPatch) -> None:
    """Read and compute nothing on the driver, as where tables lie in an object store."""

    def refuse(*_: object) -> None:
        raise NotPlain("a test")

    patch.setattr(driver.Reader, "__init__", refuse)
    for module, name in ((local, "answer"), (inputs, "answer"), (work, "summed")):
        patch.setattr(module, name, lambda *_: None)


@cases("incremental", "full")
def test_on_duckdb(case: Case, duck: duckdb.DuckDBPyConnection) -> None:
    if case.lane.startswith("spark"):
        pytest.skip(case.lane)
    follow(case, DuckLane(duck, case))


@pytest.mark.spark
@cases("incremental", "full", is_sample=True)
def test_on_spark(
    case: Case, st: streamtables.StreamTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.lane.startswith("duckdb"):
        pytest.skip(case.lane)
    if crc32(case.id.encode()) % 2:
        leave_all_to_spark(monkeypatch)
    with SparkLane(st, case) as lane:
        follow(case, lane)


@cases("refused")
def test_refused_by_the_compiler(case: Case, duck: duckdb.DuckDBPyConnection) -> None:
    if case.lane.startswith("spark"):
        pytest.skip(case.lane)
    check_refused(case, DuckLane(duck, case))


@pytest.mark.spark
@cases("refused")
def test_refused_on_spark(case: Case, st: streamtables.StreamTables) -> None:
    with SparkLane(st, case) as lane:
        check_refused(case, lane)


def test_titles_differ() -> None:
    counted = Counter(case.id for case in read_cases(SQL))
    assert [title for title, count in counted.items() if count > 1] == []


def test_every_folder_has_cases() -> None:
    assert {path.parent.name for path in SQL.rglob("*.sql")} >= {"operators", "queries", "refused"}
