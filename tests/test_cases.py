"""Every case of sql/, on DuckDB and on Spark with Delta Lake."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from helpers.bags import assert_same
from helpers.cases import SQL, Case, read_cases
from helpers.duck_lane import DuckLane
from helpers.spark_lane import SparkLane

import streamtables
from streamtables.errors import StreamTablesError, UnsupportedQuery

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import SparkSession

SAMPLE = 20
CASES = [case for case in read_cases() if os.environ.get("CASES", "") in case.id]


def cases(*modes: str, is_sample: bool = False) -> pytest.MarkDecorator:
    """The cases of some modes; `CASES=join` in the environment leaves only those with that in their id.

    On Spark a case takes seconds: a sample, and what DuckDB cannot run, is run each time, the rest by `make slow`.
    """
    chosen = [case for case in CASES if case.mode in modes]
    late = [is_sample and not _is_sampled(case) for case in chosen]
    marked = [
        pytest.param(case, marks=pytest.mark.slow if is_late else (), id=case.id)
        for case, is_late in zip(chosen, late, strict=True)
    ]
    return pytest.mark.parametrize("case", marked)


def _is_sampled(case: Case) -> bool:
    is_chosen = case.lane.startswith("spark") or case.number % SAMPLE == 0
    return is_chosen and case.id.startswith("operators/")


@pytest.fixture(scope="module")
def st(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> streamtables.StreamTables:
    """The registry of all cases."""
    return streamtables.StreamTables(spark, str(tmp_path_factory.mktemp("cases")))


@cases("incremental", "full")
def test_on_duckdb(case: Case, duck: duckdb.DuckDBPyConnection) -> None:
    if case.lane.startswith("spark"):
        pytest.skip(case.lane)
    follow(case, DuckLane(duck, case))


@pytest.mark.spark
@cases("incremental", "full", is_sample=True)
def test_on_spark(case: Case, st: streamtables.StreamTables) -> None:
    if case.lane.startswith("duckdb"):
        pytest.skip(case.lane)
    with SparkLane(st, case) as lane:
        follow(case, lane)


@cases("refused")
def test_refused_by_the_compiler(case: Case, duck: duckdb.DuckDBPyConnection) -> None:
    if case.lane.startswith("spark"):
        pytest.skip(case.lane)
    with pytest.raises(StreamTablesError) as caught:
        DuckLane(duck, case).create()
    check_error(case, caught.value)


@pytest.mark.spark
@cases("refused")
def test_refused_on_spark(case: Case, st: streamtables.StreamTables) -> None:
    with SparkLane(st, case) as lane, pytest.raises(StreamTablesError) as caught:
        lane.create()
    check_error(case, caught.value)


def test_titles_differ() -> None:
    counted = Counter(case.id for case in read_cases())
    assert [title for title, count in counted.items() if count > 1] == []


def test_every_folder_has_cases() -> None:
    assert {path.parent.name for path in SQL.rglob("*.sql")} >= {"operators", "queries", "refused"}


def follow(case: Case, lane: DuckLane | SparkLane) -> None:
    """Make the stream table, then one change after the other; the answer is the query in full each time."""
    lane.create()
    stored = lane.stored()
    assert_same(stored, lane.full(), "not the query in full, when made")
    if case.answer is not None:
        assert_same(stored, case.answer, "not the answer told, when made")
    for step in case.steps:
        before, about = stored, f"after the change: {step.words}"
        lane.run(step.statements)
        counts = lane.refresh()
        stored = lane.stored()
        assert_same(stored, lane.full(), f"not the query in full, {about}")
        assert counts == ((stored - before).total(), (before - stored).total()), about
        if step.answer is not None:
            assert_same(stored, step.answer, f"not the answer told, {about}")
        if step.expect is not None:
            assert_same(stored - before, +step.expect, f"rows in, {about}")
            assert_same(before - stored, -step.expect, f"rows out, {about}")


def check_error(case: Case, error: StreamTablesError) -> None:
    """The error has the reason, the words and the place that the case tells."""
    reason = error.reason if isinstance(error, UnsupportedQuery) else type(error).__name__
    assert reason == case.reason, error
    words, _, place = case.error.partition(" @ ")
    assert words.lower() in str(error).lower()
    if place:
        assert error.place is not None, error
        assert f"{error.place.line}:{error.place.column}" == place
    assert error.hint or "parse" in str(error), "an error says what to do"
