"""What the API refuses: a named error with a way out, and nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables import errors as e

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# What is wrong: query, error, words in its message.
BAD_QUERIES = {
    "no such table": ("SELECT * FROM $.nowhere", e.UnknownTable, r"no table refused\.nowhere"),
    "no such schema": ("SELECT * FROM nowhere.t", e.UnknownTable, r"no table nowhere\.t"),
    "no such column": (
        "SELECT a,\n  wrong FROM $.t",
        e.UnknownColumn,
        r"wrong \(line 2, column 3\)",
    ),
    "no such column, no rule": (
        "SELECT wrong FROM $.t LIMIT 1",
        (e.UnknownColumn, e.InvalidQuery),
        "wrong",
    ),
    "misspelt": ("SELECT a\nFROM $.t WHERE a = = 1", e.InvalidQuery, r"line 2, column \d+"),
    "empty": ("  -- nothing\n", e.InvalidQuery, "."),
    "two statements": ("SELECT a FROM $.t; DROP TABLE $.t", e.InvalidQuery, "."),
    "not a query": ("DROP TABLE $.t", e.InvalidQuery, "."),
    "repeated names": ("SELECT a, b AS A FROM $.t", e.RepeatedColumn, "a"),
    "random": ("SELECT a, rand() AS r FROM $.t", e.UnsupportedQuery, r"rand\(\)"),
    "temporary view": ("SELECT * FROM refused_view", e.UnknownTable, "temporary view"),
    "reads itself": ("SELECT a FROM $.new", e.CycleFound, "itself"),
    "wrong types": ("SELECT a + ARRAY(1) AS x FROM $.t", e.InvalidQuery, "."),
    "no such function": ("SELECT no_such_function(a) AS x FROM $.t", e.InvalidQuery, "no_such"),
    "grouping": ("SELECT a, sum(b) AS x FROM $.t GROUP BY c", e.StreamTablesError, "."),
}

BAD_ARGUMENTS = {
    "schedule": ({"schedule": "sometimes"}, e.InvalidSchedule, "sometimes"),
    "mode": ({"refresh_mode": "QUICK"}, e.StreamTablesError, "QUICK"),
    "incremental": (
        {"query": "SELECT a FROM $.t LIMIT length('xy')", "refresh_mode": "INCREMENTAL"},
        e.UnsupportedQuery,
        "LIMIT",
    ),
    "name of a stream table": ({"name": "$.taken"}, e.NameTaken, r"refused\.taken"),
    "the same in capitals": ({"name": "REFUSED.Taken"}, e.NameTaken, "Taken"),
    "name of a table": ({"name": "$.other"}, e.NameTaken, r"refused\.other"),
    "name of a file table": ({"name": "$.files"}, e.NameTaken, r"refused\.files"),
    "name of a view": ({"name": "$.seen"}, e.NameTaken, r"refused\.seen"),
    "no name": ({"name": ""}, e.InvalidName, "."),
    "half a name": ({"name": "$."}, e.InvalidName, "."),
    "statement as name": ({"name": "$.x; DROP TABLE $.t"}, e.InvalidName, "."),
    "hostile name": ({"name": "$.`x; DROP TABLE t`"}, e.InvalidName, "x; DROP TABLE t"),
    "name of a path": ({"name": "$.`../../x`"}, e.InvalidName, "x"),
    "too many parts": ({"name": "a.b.c.d"}, e.InvalidName, "a.b.c.d"),
}


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("refused"), "refused")
    lake.sql(
        f"CREATE TABLE {lake}.t (a INT, b INT, c INT) USING delta",
        f"CREATE TABLE {lake}.other (a INT) USING delta",
        f"CREATE TABLE {lake}.files (a INT) USING parquet",
        f"CREATE VIEW {lake}.seen AS SELECT a FROM {lake}.t",
        "CREATE OR REPLACE TEMPORARY VIEW refused_view AS SELECT 1 AS a",
    )
    lake.st.create_stream_table(f"{lake}.taken", f"SELECT a FROM {lake}.t")
    return lake


def state(lake: Lake) -> object:
    """Everything that a refused call could have left behind."""
    folders: list[Path] = [
        path for path in lake.folder.rglob("*") if "_streamtables" not in path.parts
    ]
    tables = lake.spark.catalog.listTables(lake.schema)
    return sorted(folders), sorted(table.name for table in tables), lake.st.list()


@pytest.mark.parametrize("case", BAD_QUERIES)
def test_a_query_is_refused(lake: Lake, case: str) -> None:
    query, error, words = BAD_QUERIES[case]
    before = state(lake)
    with pytest.raises(error, match=words) as created:
        lake.st.create_stream_table(f"{lake}.new", query.replace("$", lake.schema))
    assert state(lake) == before
    assert created.value.hint or created.value.place, f"no way out: {created.value}"
    own = query.replace("$.new", "$.taken").replace("$", lake.schema)
    with pytest.raises(error, match=words):
        lake.st.alter_stream_table(f"{lake}.taken", query=own)
    assert state(lake) == before


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_an_argument_is_refused(lake: Lake, case: str) -> None:
    arguments, error, words = BAD_ARGUMENTS[case]
    good = {"name": "$.new", "query": "SELECT a FROM $.t"}
    given = {key: text.replace("$", lake.schema) for key, text in {**good, **arguments}.items()}
    before = state(lake)
    with pytest.raises(error, match=words) as refused:
        lake.st.create_stream_table(**given)
    assert state(lake) == before
    assert refused.value.hint, f"no way out: {refused.value}"


def test_an_altered_query_that_fails_leaves_the_table_as_it_was(lake: Lake) -> None:
    lake.sql(f"CREATE TABLE {lake}.n USING delta AS SELECT 0 AS a")
    lake.st.create_stream_table(f"{lake}.kept", f"SELECT a FROM {lake}.n")
    before = lake.definition("kept")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        lake.st.alter_stream_table(
            f"{lake}.kept", query=f"SELECT CAST(1 DIV a AS INT) AS a FROM {lake}.n"
        )
    assert lake.definition("kept") == before == lake.st.engine.definition(before.name)
    lake.sql(f"INSERT INTO {lake}.n VALUES (5)")
    assert lake.st.refresh(f"{lake}.kept").action == "INCREMENTAL"
    lake.check("kept")
    lake.st.drop_stream_table(f"{lake}.kept")


def test_a_cycle_through_others_is_refused_by_its_names(lake: Lake) -> None:
    lake.st.create_stream_table(f"{lake}.above", f"SELECT a FROM {lake}.taken")
    before = state(lake)
    with pytest.raises(e.CycleFound, match=r"refused\.(above|taken) reads refused\.(above|taken)"):
        lake.st.alter_stream_table(f"{lake}.taken", query=f"SELECT a FROM {lake}.above")
    assert state(lake) == before
    lake.st.refresh_all()
    lake.check("above")
