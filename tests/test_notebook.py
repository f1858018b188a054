"""The magics and rich forms of notebooks, in a real IPython shell."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from streamtables.errors import StreamTablesError
from streamtables.page.tables import Rows
from streamtables.refresh.verify import Verification


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
