"""The magics and rich forms of notebooks, in a real IPython shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from streamtables.errors import StreamTablesError
from streamtables.page.tables import Rows
from streamtables.refresh.verify import Verification

if TYPE_CHECKING:
    from streamtables.api import StreamTables


@pytest.fixture
def shell() -> InteractiveShell:
    found = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    found.display_formatter.active_types = ["text/plain", "text/html"]
    found.run_line_magic("load_ext", "streamtables")
    return found


def html(shell: InteractiveShell, value: object) -> str:
    return str(shell.display_formatter.format(value)[0].get("text/html", ""))


def test_rows_are_a_table_whose_text_is_no_markup(shell: InteractiveShell) -> None:
    shown = html(shell, Rows([{"name": "<b>", "empty": None}]))
    assert "&lt;b&gt;" in shown
    assert "empty" not in shown
    assert html(shell, Rows()) == "<i>nothing</i>"


def test_verifications_are_rich(shell: InteractiveShell) -> None:
    assert "is its query" in html(shell, Verification("a.b", 0, 0))
    assert "is not its query" in html(shell, Verification("a.b", 1, 0))


def test_misuse_is_said(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.registry["StreamTableMagics"]
    with pytest.raises(StreamTablesError, match="There is no verb reset"):
        magics.st("reset")
    with pytest.raises(StreamTablesError, match="There is no option every"):
        magics.stream_table("a.b every=5m", "SELECT 1")


@pytest.mark.spark
def test_a_cell_makes_a_table_and_changes_it(
    shell: InteractiveShell, stream_tables: StreamTables
) -> None:
    shell.user_ns["st"] = stream_tables
    shell.run_cell_magic("st", "", "CREATE TABLE t (x INT) USING delta")
    made = shell.run_cell_magic("stream_table", "s schedule=5m", "SELECT count(*) AS n FROM t")
    assert made.reason == "FIRST_FILL"
    assert "FIRST_FILL" in html(shell, made)
    shell.run_cell_magic("st", "", "INSERT INTO t VALUES (1)")
    again = shell.run_cell_magic("stream_table", "s schedule=1m", "SELECT count(*) AS n FROM t")
    assert again.rows_inserted == 1
    changed = shell.run_cell_magic("stream_table", "s", "SELECT count(*) AS n, max(x) AS m FROM t")
    assert changed.reason == "QUERY_CHANGED"
    (state,) = shell.run_line_magic("st", "status")
    assert (state["schedule"], state["last_action"]) == ("1m", changed.action.value)
    assert "svg" in html(shell, shell.run_line_magic("st", "lineage"))
    assert "<details>" in html(shell, shell.run_line_magic("st", "explain s"))
    assert "is its query" in html(shell, shell.run_line_magic("st", "verify s"))
