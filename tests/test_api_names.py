"""Names that look like SQL stay names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

NAMES = (
    "select", "From", "order", "group by", "a.b", "ta`ck", "quo'te", 'dou"ble', "semi;colon", "-- comment",
    "/* c */", "größe", "数量", "percent%s", "{brace}", "$dollar", "back\\slash", "x); DROP TABLE t; --",
    "_copy", "_is_gone", "c0", "new_0", "path", "_change_type",
)  # fmt: skip


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return Lake(spark, tmp_path_factory.mktemp("names"), "hostile")


def test_hostile_column_names_round_trip(lake: Lake) -> None:
    columns = ", ".join(f"{quoted(name)} INT" for name in NAMES)
    lake.sql(
        f"CREATE TABLE {lake}.t ({columns}) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        f"INSERT INTO {lake}.t VALUES ({', '.join(str(n) for n in range(len(NAMES)))})",
    )
    selected = ", ".join(map(quoted, NAMES))
    keys = ", ".join(map(quoted, NAMES[:-1]))
    queries = {
        "bag": f"SELECT {selected} FROM {lake}.t WHERE {quoted('select')} >= 0",
        "groups": f"SELECT {keys}, sum({quoted(NAMES[-1])}) AS {quoted('sum(;)')} FROM {lake}.t GROUP BY {keys}",
        "pairs": f"SELECT l.{quoted('a.b')} AS {quoted('l.a.b')}, r.{quoted('ta`ck')} FROM {lake}.t AS l "
        f"JOIN {lake}.t AS r ON l.{quoted('order')} = r.{quoted('order')}",
    }
    for name, query in queries.items():
        lake.st.create_stream_table(f"{lake}.{name}", query, refresh_mode="INCREMENTAL")
    lake.sql(
        f"INSERT INTO {lake}.t SELECT * FROM {lake}.t",
        f"UPDATE {lake}.t SET {quoted('From')} = 77, {quoted('a.b')} = 78",
        f"INSERT INTO {lake}.t ({quoted('a.b')}, {quoted('order')}) VALUES (5, 2), (5, NULL)",
    )
    for name in queries:
        refresh = lake.st.refresh(f"{lake}.{name}")
        assert refresh.action == "INCREMENTAL"
        assert refresh.rows_deleted > 0
        lake.check(name)
        assert lake.st.verify(f"{lake}.{name}")
    assert [c.name for c in lake.definition("bag").columns] == list(NAMES)
    tables = {table.name for table in lake.spark.catalog.listTables(lake.schema)}
    assert tables == {"t", *queries}


def test_hostile_text_in_a_query_stays_text(lake: Lake) -> None:
    text = "x'; DROP TABLE t; -- \\ \" `"
    literal = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    lake.sql(f"CREATE TABLE {lake}.words (w STRING, n INT) USING delta")
    lake.sql(f"INSERT INTO {lake}.words VALUES ({literal}, 1), ('plain', 2)")
    query = f"SELECT w, sum(n) AS n -- it's; a comment\n FROM {lake}.words WHERE w <> {literal} OR n < 9 GROUP BY w;"
    lake.st.create_stream_table(f"{lake}.by_word", query, refresh_mode="INCREMENTAL")
    lake.sql(f"UPDATE {lake}.words SET n = n + 1")
    assert lake.st.refresh(f"{lake}.by_word").rows_inserted == 2
    assert lake.rows(f"SELECT * FROM {lake}.by_word") == {(text, 2): 1, ("plain", 3): 1}
    lake.st.alter_stream_table(f"{lake}.by_word", schedule="5m")
    table = lake.definition("by_word")
    assert lake.st.engine.definition(table.name) == table, (
        "the table carries its definition as it is"
    )


def test_tables_of_one_name_in_two_schemas(lake: Lake, spark: SparkSession) -> None:
    spark.sql(f"CREATE SCHEMA other LOCATION '{lake.folder}/other.db'")
    lake.sql(
        f"CREATE TABLE {lake}.items (id INT, n INT) USING delta",
        "CREATE TABLE other.items (id INT, m INT, s STRUCT<f: INT>) USING delta",
        f"INSERT INTO {lake}.items VALUES (1, 10), (2, 20)",
        "INSERT INTO other.items VALUES (1, 5, struct(6)), (3, 7, struct(8))",
    )
    query = (
        f"SELECT {lake}.items.id, n, m, other.items.s.f FROM {lake}.items JOIN other.items"
        f" ON {lake}.items.id = other.items.id"
        f" WHERE NOT EXISTS (SELECT 1 FROM {lake}.items AS x WHERE x.n < other.items.m)"
    )
    lake.st.create_stream_table(f"{lake}.both", query, refresh_mode="INCREMENTAL")
    lake.sql(
        f"UPDATE {lake}.items SET id = 3 WHERE id = 2",
        "UPDATE other.items SET m = 4, s = named_struct('f', 9) WHERE id = 1",
    )
    assert lake.st.refresh(f"{lake}.both").action == "INCREMENTAL"
    lake.check("both")
    assert sum(lake.rows(f"SELECT * FROM {lake}.both").values()) == 2
