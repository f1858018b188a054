"""A project on Spark: from nothing to its tables, an edit of a query, one of columns, and a table that goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamtables
from streamtables.project.sample import make_project
from streamtables.sql.split import split_statements

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def actions(steps) -> dict[str, str]:
    return {step.row["name"].partition(".")[2]: step.row["action"] for step in steps}


def test_a_project(spark: SparkSession, tmp_path: Path) -> None:
    make_project(tmp_path)
    st = streamtables.StreamTables(spark, str(tmp_path / "warehouse"))
    query = tmp_path / "tables/shop/by_country.sql"
    try:
        assert "There is no table shop.orders" in str(st.plan(tmp_path).refused[0].error)
        for statement in split_statements((tmp_path / "sample.sql").read_text())[0]:
            st.sql(statement)
        plan = st.plan(tmp_path)
        assert actions(plan.steps) == {"by_country": "create", "best": "create"}
        assert [done.outcome for done in st.apply(tmp_path)] == ["done", "done"]
        assert {row["name"]: row["schedule"] for row in st.status()} == {
            "shop.best": "DOWNSTREAM",
            "shop.by_country": "5m",
        }
        assert st.plan(tmp_path).to_do == ()
        assert st.apply(tmp_path) == ()

        text = query.read_text()
        query.write_text(text.replace("GROUP BY", "WHERE amount > 5\nGROUP BY"))
        assert actions(st.plan(tmp_path).to_do) == {"by_country": "rebuild", "best": "incremental"}
        assert [done.outcome for done in st.apply(tmp_path)] == ["done", "done"]
        assert st.verify("shop.by_country")
        assert spark.table("shop.by_country").count() == 2

        query.write_text(text.replace("revenue\n", "revenue, max(amount) AS most\n"))
        planned = st.plan(tmp_path).to_do
        assert "columns +most decimal(10,2)" in planned[0].why
        assert [done.outcome for done in st.apply(tmp_path)] == ["done", "done"]
        assert spark.table("shop.by_country").columns[-1] == "most"
        assert st.verify("shop.best")
        assert st.plan(tmp_path).to_do == ()

        spark.sql("DELETE FROM shop.by_country WHERE country = 'DE'")
        assert str(st.verify("shop.by_country")).splitlines() == [
            "shop.by_country differs from its query: 1 rows missing (+), 0 unexpected (-)",
            "  + country=DE, orders=2, revenue=35.50, most=25.50",
        ]

        st.create_stream_table("shop.by_hand", "SELECT count(*) AS n FROM shop.orders")
        (tmp_path / "tables/shop/best.sql").unlink()
        assert st.apply(tmp_path) == ()
        assert [done.outcome for done in st.apply(tmp_path, drop=True)] == ["done"]
        assert [str(table.name) for table in st.list()] == ["shop.by_country", "shop.by_hand"]
    finally:
        for table in st.list():
            st.drop_stream_table(str(table.name))
        spark.sql("DROP SCHEMA IF EXISTS shop CASCADE")
        st.close()
