"""The magics and rich forms of notebooks, in a real IPython shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from streamtables import notebook
from streamtables.errors import StreamTablesError
from streamtables.page.tables import Rows
from streamtables.refresh.verify import Verification

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def bare() -> InteractiveShell:
    found = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    found.display_formatter.active_types = ["text/plain", "text/html"]
    return found


@pytest.fixture
def shell(bare: InteractiveShell) -> InteractiveShell:
    bare.run_line_magic("load_ext", "streamtables")
    return bare


def html(shell: InteractiveShell, value: object) -> str:
    return str(shell.display_formatter.format(value)[0].get("text/html", ""))


def lacks(text: str, *words: str) -> list[str]:
    return [word for word in words if word not in text]


def test_rows_are_a_table_whose_text_is_no_markup(shell: InteractiveShell) -> None:
    shown = html(shell, Rows([{"name": "<b>", "empty": None}]))
    assert "&lt;b&gt;" in shown
    assert "empty" not in shown
    assert html(shell, Rows()) == "<i>nothing</i>"
    assert ">86400.123<" in html(shell, Rows([{"lag_s": 86400.1234}]))


def test_verifications_are_rich(shell: InteractiveShell) -> None:
    assert "is its query" in html(shell, Verification("a.b", 0, 0))
    assert "is not its query" in html(shell, Verification("a.b", 1, 0))


def test_the_magic_called_sql_is_left_to_others(bare: InteractiveShell) -> None:
    kinds = bare.magics_manager.magics
    before = {kind: set(names) for kind, names in kinds.items()}
    bare.run_line_magic("load_ext", "streamtables")
    assert {kind: set(names) - before[kind] for kind, names in kinds.items()} == {
        "line": {"st"},
        "cell": {"st", "stream_table"},
    }


def test_misuse_is_said(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.registry["StreamTableMagics"]
    with pytest.raises(StreamTablesError, match="There is no verb reset"):
        magics.st("reset")
    with pytest.raises(StreamTablesError, match="There is no option every"):
        magics.stream_table("a.b every=5m", "SELECT 1")


@pytest.mark.spark
def test_a_stream_table_is_made_and_looked_at(
    shell: InteractiveShell,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lake = Lake(spark, tmp_path, "notebook")
    lake.sql(
        f"CREATE TABLE {lake}.orders (country STRING, amount INT) USING delta",
        f"INSERT INTO {lake}.orders VALUES ('DE', 10), (NULL, 5)",
    )
    shell.user_ns["st"] = lake.st
    name = f"{lake}.shares"

    def cell(query: str) -> str:
        line = f"{name} schedule=5m"
        return html(
            shell, shell.run_cell_magic("stream_table", line, f"{query} FROM {lake}.orders")
        )

    def st(line: str) -> str:
        return html(shell, shell.run_line_magic("st", line))

    assert "FIRST_FILL" in cell("SELECT country, 100 / amount AS share")
    assert "NO_CHANGE" in cell("SELECT country, 100 / amount AS share")
    assert not lacks(st("list"), name, "5m", "AUTO", "SELECT country, 100 / amount")
    assert not lacks(st("status"), name, "ACTIVE", "NO_CHANGE")

    lake.sql(f"INSERT INTO {lake}.orders VALUES ('FR', 0)")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        st(f"refresh {name}")
    assert "FAILED" in st("refresh")
    assert not lacks(st("doctor"), "FAILING", "Headroom", "taken_in")
    lake.sql(f"UPDATE {lake}.orders SET amount = 4 WHERE amount = 0")
    assert "CHANGE_SMALL" in st(f"refresh {name}")
    began = lake.st.history(name)[0].started_at.isoformat(" ", "seconds")
    assert not lacks(st(f"history {name}"), "DIVIDE_BY_ZERO", "started_at", began)
    assert not lacks(st(f"changes {name}"), "FR", "25.0", "_weight")

    assert "QUERY_CHANGED" in cell("SELECT country, amount")
    assert "is its query" in st(f"verify {name}")
    assert "REINITIALIZE_ASKED" in st(f"reinitialize {name}")
    monkeypatch.setattr(notebook, "MOST_ROWS", 2)
    rows = shell.run_cell_magic("st", "", f"SELECT country FROM {name} ORDER BY country")
    assert [row["country"] for row in rows] == ["NULL", "DE", "…"]
    lake.st.close()
    lake.sql(f"DROP SCHEMA {lake} CASCADE")
