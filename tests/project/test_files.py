"""Files to declarations: both forms, names by path, and what is no declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamtables.errors import InvalidProject
from streamtables.model import RefreshMode
from streamtables.project.files import read_file, read_project
from streamtables.project.sample import make_project

if TYPE_CHECKING:
    from pathlib import Path


def test_both_forms_say_the_same() -> None:
    plain = read_file(
        "-- schedule: '5m'\n-- refresh-mode: full\n-- Note: prose\nSELECT x FROM t;\n",
        "tables/s/u.sql",
    )
    full = read_file(
        "CREATE STREAM TABLE s.u SCHEDULE '5m' REFRESH_MODE FULL AS SELECT x FROM t",
        "tables/any.sql",
    )
    for one in (plain, full):
        assert (str(one.name), one.query) == ("s.u", "SELECT x FROM t")
        assert (one.schedule, one.refresh_mode) == ("5m", RefreshMode.FULL)
    assert (str(plain.begin), str(full.begin)) == ("line 4, column 1", "line 1, column 60")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tables/daily.sql", "default.daily"),
        ("tables/shop/daily.sql", "shop.daily"),
        ("tables/shop.daily.sql", "shop.daily"),
        ("tables/shop/by country.sql", "shop.`by country`"),
    ],
)
def test_the_path_names_the_table(path: str, name: str) -> None:
    assert str(read_file("SELECT 1 AS x", path).name) == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-- shedule: 5m\nSELECT 1 AS x", "a header has no key 'shedule'. Did you mean schedule?"),
        ("-- schedule: 5m\n-- schedule: 6m\nSELECT 1 AS x", "says schedule twice"),
        (
            "-- schedule: 5m\nCREATE STREAM TABLE t SCHEDULE '5m' AS SELECT 1",
            "says schedule twice",
        ),
        ("-- schedule: often\nSELECT 1 AS x", "'often' is not a schedule"),
        ("DROP STREAM TABLE t", "another statement than CREATE STREAM TABLE"),
        ("-- only words\n", "The query is empty"),
        ("-- a\nSELECT x FROM\n  t WHERE (", r"tables/t.sql:3:\d+: The query does not parse"),
        ("SELECT 1; SELECT 2", "holds 2 statements"),
        ("-- refresh_mode: sometimes\nSELECT 1 AS x", "not a valid RefreshMode|refresh_mode"),
    ],
)
def test_what_is_no_declaration(text: str, said: str) -> None:
    with pytest.raises(InvalidProject, match=said):
        read_file(text, "tables/t.sql")


def test_two_files_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "tables/shop").mkdir(parents=True)
    for path in ("tables/shop/daily.sql", "tables/shop.daily.sql"):
        (tmp_path / path).write_text("SELECT 1 AS x")
    with pytest.raises(InvalidProject, match=r"both declare shop\.daily"):
        read_project(tmp_path)


def test_a_new_project_reads_well_and_is_never_written_over(tmp_path: Path) -> None:
    make_project(tmp_path)
    assert [str(one.name) for one in read_project(tmp_path)] == ["shop.best", "shop.by_country"]
    with pytest.raises(InvalidProject, match=r"has a streamtables.toml already"):
        make_project(tmp_path)


def test_an_error_says_once_what_to_do() -> None:
    with pytest.raises(InvalidProject) as found:
        read_file("-- schedule: 5 minuts\nSELECT 1 AS x", "tables/shop/daily.sql")
    assert str(found.value).count("Write a duration") == 1
    with pytest.raises(InvalidProject, match=r"daily\.sql.*CREATE is not a query.*STREAM TABLE"):
        read_file("CREATE STREM TABLE x AS SELECT 1 AS y", "tables/shop/daily.sql")
