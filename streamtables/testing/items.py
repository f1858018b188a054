"""Case files as pytest collects them: each case is one test, on one lane."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from streamtables.errors import StreamTablesError
from streamtables.testing.cases import read_file
from streamtables.testing.follow import check_refused, follow
from streamtables.testing.record import record
from streamtables.testing.told import CaseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamtables.testing.cases import Case
    from streamtables.testing.follow import Lane


class CaseFile(pytest.File):
    """One file of SQL."""

    def collect(self) -> Iterator[CaseItem]:
        """Each case of the file."""
        try:
            cases = read_file(self.path)
        except CaseError as error:
            raise self.CollectError(str(error)) from error
        for case in cases:
            yield CaseItem.from_parent(
                self, name=case.title, callobj=_testing(case), originalname=case.title, case=case
            )


class CaseItem(pytest.Function):
    """One case; a function, so that it can ask for Spark only when it needs it."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case begins."""
        return self.case.path, self.case.line - 1, self.case.title

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The rows that differ and the step that made them; the trace of what is no fault of the case's."""
        if isinstance(excinfo.value, (AssertionError, CaseError, StreamTablesError)):
            kind = "" if isinstance(excinfo.value, AssertionError) else f"{excinfo.typename}: "
            return f"{self.case.path}:{self.case.line}: {self.case.title}\n{kind}{excinfo.value}"
        return super().repr_failure(excinfo)


def _testing(case: Case) -> Any:
    def test(request: pytest.FixtureRequest) -> None:
        lane = request.config.getoption("--st-lane")
        if _is_for_duckdb(case, lane):
            from streamtables.testing.duck import CannotRun

            try:
                _run_on_duckdb(case, request.config)
            except CannotRun as error:
                if lane == "duckdb":
                    raise AssertionError(str(error)) from error
                request.node.add_report_section("call", "lane", f"{error}: it ran on Spark")
            else:
                return
        _run_on_spark(case, request)

    return test


def _is_for_duckdb(case: Case, lane: str) -> bool:
    told = case.lane.partition(" ")[0]
    if lane != "auto" and told and told != lane:
        pytest.skip(f"it runs on {case.lane}")
    if lane == "auto":
        return told != "spark" and find_spec("duckdb") is not None
    return lane == "duckdb"


def _run_on_duckdb(case: Case, config: pytest.Config) -> None:
    from streamtables.testing.duck_lane import DuckLane, duck_database

    with duck_database() as database:
        _run(case, DuckLane(database, case), config)


def _run_on_spark(case: Case, request: pytest.FixtureRequest) -> None:
    from streamtables.testing.spark_lane import SparkLane

    st = request.getfixturevalue("streamtables_cases")
    with SparkLane(st, case) as lane:
        _run(case, lane, request.config)


def _run(case: Case, lane: Lane, config: pytest.Config) -> None:
    if case.mode == "refused":
        check_refused(case, lane)
    elif config.getoption("--st-record"):
        record(case, follow(case, lane, is_told=False))
    else:
        follow(case, lane)
