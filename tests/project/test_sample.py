"""The sample of a new project keeps its own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.project.files import read_project
from streamtables.project.sample import make_project
from streamtables.testing.cases import read_file
from streamtables.testing.duck_lane import DuckLane
from streamtables.testing.follow import follow

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb


def test_the_samples_test_passes(duck: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    make_project(tmp_path)
    (case,) = read_file(tmp_path / "tests/shop/by_country.sql")
    follow(case, DuckLane(duck, case))
    (table,) = (one for one in read_project(tmp_path) if str(one.name) == "shop.by_country")
    assert case.query == table.query, "the test is of the query that the project has"
