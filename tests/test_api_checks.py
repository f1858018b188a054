"""Data checks on Spark and Delta Lake: what they keep, leave out and refuse, and that leaving out stays incremental."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.checks import Check, OnMismatch
from streamtables.errors import CheckFailed, InvalidCheck
from streamtables.testing.bags import assert_same

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return Lake(spark, tmp_path_factory.mktemp("checks"), "checks")


# Name: query, and the condition that its rows are to meet.
VIEWS = {
    "rows": ("SELECT k, v FROM $ ORDER BY k -- each", "v > 0"),
    "sums": ("SELECT k, sum(v) AS v, count(*) AS `n n` FROM $ GROUP BY k", "v > 0 AND `n n` < 5"),
    "firsts": ("SELECT * FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM $)", "n = 1"),
    "most": ("SELECT k, v FROM $ ORDER BY v DESC, k LIMIT 3", "v < 5"),
    "top": ("SELECT k, sum(v) AS v FROM $ GROUP BY k ORDER BY v DESC, k LIMIT 2", "k <> 2"),
}  # fmt: skip
CHANGES = (
    "INSERT INTO $ VALUES (1, 0), (1, -3), (2, 7), (2, 7), (NULL, 1), (4, NULL)",
    "UPDATE $ SET v = -v WHERE k = 2",
    "INSERT INTO $ SELECT k, v FROM $",
    "DELETE FROM $ WHERE v < 0 OR k IS NULL",
)


def test_what_is_dropped_is_a_filter_that_stays_incremental(lake: Lake) -> None:
    source = f"{lake}.source"
    lake.sql(f"CREATE TABLE {source} (k INT, v INT) USING delta")
    lake.sql(f"INSERT INTO {source} VALUES (1, 5), (1, -5), (2, 2), (3, NULL)")
    answers = {}
    for name, (text, condition) in VIEWS.items():
        query = text.replace("$", source)
        answers[name] = f"SELECT * FROM ({query}\n) WHERE {condition}"
        lake.st.create_stream_table(
            f"{lake}.{name}",
            query,
            refresh_mode="INCREMENTAL",
            expect={"good": (condition, "DROP")},
        )
    for change in ("", *CHANGES):
        if change:
            lake.sql(change.replace("$", source))
        for refresh in lake.st.refresh_all():
            name = refresh.name.split(".")[1]
            assert refresh.action in ("INCREMENTAL", "NO_DATA"), refresh
            stored = lake.rows(f"SELECT * FROM {refresh.name}")
            assert_same(stored, lake.rows(answers[name]), f"{name} after {change}")
    for name in VIEWS:
        assert lake.st.verify(f"{lake}.{name}"), name
        lake.st.refresh(f"{lake}.{name}", full=True)
        assert lake.st.history(f"{lake}.{name}", 1)[0].rows_inserted == 0, "nothing is left to come"


def test_each_refresh_counts_what_fails(lake: Lake) -> None:
    source, name = f"{lake}.counted", f"{lake}.counts"
    lake.sql(
        f"CREATE TABLE {source} USING delta AS SELECT * FROM VALUES (1, 5), (2, -5), (3, NULL) AS t (k, v)"
    )
    first = lake.st.sql(
        f"CREATE STREAM TABLE {name} EXPECT positive (v > 0) EXPECT small (v < 100) ON MISMATCH DROP "
        f"AS SELECT k, v FROM {source}"
    )
    assert failing(first) == {"positive": 2, "small": 1}, "NULL is not true"
    assert first.rows_inserted == 2
    lake.sql(f"INSERT INTO {source} VALUES (4, -1), (4, -1), (5, 200), (6, 6)")
    second = lake.st.refresh(name)
    assert (second.action, second.rows_inserted) == ("INCREMENTAL", 3)
    assert failing(second) == {"positive": 2, "small": 1}, (
        "copies count; rows of before are not looked at"
    )
    (row,) = [row for row in lake.st.status() if row["name"] == name]
    assert row["failing"] == {"positive": 2, "small": 1}
    found = [one for one in lake.st.doctor().findings if one.code == "ROWS_FAIL_CHECK"]
    assert [one.message for one in found if one.name == name] == [
        "of the rows that were last looked at, 2 fail positive",
        "of the rows that were last looked at, 1 fail small",
    ]
    lake.sql(f"DELETE FROM {source} WHERE v < 0 OR v > 100")
    third = lake.st.refresh(name)
    assert (third.rows_deleted, failing(third)) == (3, {"positive": 0, "small": 0})
    assert "EXPECT small (v < 100) ON MISMATCH DROP" in "".join(lake.st.export().values())


def test_what_fails_is_not_written(lake: Lake) -> None:
    source, name = f"{lake}.strict", f"{lake}.strictly"
    lake.sql(f"CREATE TABLE {source} USING delta AS SELECT 1 AS k, -1 AS v")
    check = Check("positive", "v > 0", OnMismatch.FAIL)
    with pytest.raises(CheckFailed, match=r"1 rows fail positive \(v > 0\), such as \(k=1, v=-1\)"):
        lake.st.create_stream_table(name, f"SELECT k, v FROM {source}", expect=[check])
    assert not lake.spark.catalog.tableExists(name)
    lake.sql(f"UPDATE {source} SET v = 1")
    lake.st.create_stream_table(name, f"SELECT k, v FROM {source}", expect=[check])
    below = f"{lake}.below"
    lake.st.create_stream_table(below, f"SELECT count(*) AS n FROM {name}")
    version = lake.version("strictly")

    lake.sql(f"INSERT INTO {source} VALUES (2, 2), (3, -3)")
    actions = {row.name: row.action for row in lake.st.refresh_all()}
    assert (actions[name], actions[below]) == ("FAILED", "UPSTREAM_FAILED")
    (failed,) = lake.st.history(name, 1)
    assert failed.reason == "CheckFailed"
    assert "such as (k=3, v=-3)" in str(failed.error)
    assert failing(failed) == {"positive": 1}
    assert lake.version("strictly") == version

    lake.sql(f"UPDATE {source} SET v = 3 WHERE k = 3")
    assert lake.st.refresh(name).rows_inserted == 2
    lake.check("strictly")


def test_altered_checks_look_at_all_rows(lake: Lake) -> None:
    source, name = f"{lake}.later", f"{lake}.altered"
    lake.sql(f"CREATE TABLE {source} USING delta AS SELECT 1 AS k, -1 AS v UNION ALL SELECT 2, 2")
    lake.st.create_stream_table(name, f"SELECT k, v FROM {source}")
    done = lake.st.alter_stream_table(name, expect={"positive": ("v > 0", "DROP")})
    assert done is not None
    assert (done.reason, done.rows_deleted, failing(done)) == ("QUERY_CHANGED", 1, {"positive": 1})
    assert lake.st.alter_stream_table(name, schedule="1h") is None
    assert [str(check) for check in lake.definition("altered").checks] == [
        "positive (v > 0) ON MISMATCH DROP"
    ]
    opened = lake.opened()
    assert opened.engine.definition(lake.definition("altered").name) == lake.definition("altered")
    with pytest.raises(CheckFailed):
        lake.st.alter_stream_table(name, expect=["positive (v > 0) ON MISMATCH FAIL"])
    done = lake.st.sql(f"ALTER STREAM TABLE {name} SET EXPECT NULL")
    assert done.rows_inserted == 1
    lake.check("altered")


@pytest.mark.parametrize(
    ("condition", "told"),
    [("w > 0", "does not fit the query: .*`?w`?"), ("k + 1", "is of type int"), ("k > 0 AND", "not one expression")],
)  # fmt: skip
def test_a_check_fits_its_query(lake: Lake, condition: str, told: str) -> None:
    lake.sql(f"CREATE TABLE IF NOT EXISTS {lake}.fits USING delta AS SELECT 1 AS k")
    with pytest.raises(InvalidCheck, match=told):
        lake.st.create_stream_table(
            f"{lake}.misfit", f"SELECT k FROM {lake}.fits", expect={"c": condition}
        )


def failing(refresh: object) -> dict[str, int]:
    from streamtables.checks import failing_of

    return failing_of(refresh.measures)  # type: ignore[attr-defined]
