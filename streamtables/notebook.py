"""Notebooks: `%load_ext streamtables`, then `%%stream_table` defines a table and `%st` calls a verb.

%%stream_table shop.revenue schedule=5m
SELECT country, sum(amount) AS revenue FROM shop.orders GROUP BY country

%st status
%st refresh shop.revenue
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class

from streamtables.api import StreamTables
from streamtables.errors import NameTaken, StreamTablesError
from streamtables.model import Refresh, TableName
from streamtables.output import MOST_ROWS, shown
from streamtables.page.tables import (
    Rows,
    checkup_html,
    explanation_html,
    refresh_html,
    verification_html,
)
from streamtables.refresh.doctor import Checkup
from streamtables.refresh.explained import Explanation
from streamtables.refresh.verify import Verification

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import DataFrame

_HTML = {
    Refresh: refresh_html,
    Explanation: explanation_html,
    Verification: verification_html,
    Checkup: checkup_html,
}
# Verb: the one of the API that it calls.
VERBS = {
    "status": "status",
    "list": "list",
    "history": "history",
    "explain": "explain",
    "lineage": "lineage",
    "refresh": "refresh",
    "reinitialize": "reinitialize",
    "verify": "verify",
    "changes": "changes",
    "doctor": "doctor",
    "pause": "pause",
    "resume": "resume",
    "drop": "drop_stream_table",
}
_OPTIONS = ("schedule", "refresh_mode")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Bring the magics and the rich forms of our values into a notebook."""
    shell.register_magics(StreamTableMagics)
    assert shell.display_formatter is not None
    html = shell.display_formatter.formatters["text/html"]
    for kind, form in _HTML.items():
        html.for_type(kind, form)


@magics_class
class StreamTableMagics(Magics):
    """The magics; they use the notebook's `st`, or open `./warehouse` as that."""

    @cell_magic
    def stream_table(self, line: str, cell: str) -> Refresh:
        """Make a stream table of the cell's query, or change it to that: a cell is run again and again."""
        name, options = _read(line)
        st = self._st()
        try:
            return st.create_stream_table(name, cell, **options)
        except NameTaken:
            return st.alter_stream_table(name, query=cell, **options) or st.refresh(name)

    @line_cell_magic
    def st(self, line: str, cell: str | None = None) -> Any:
        """Call a verb, `%st refresh shop.revenue`; a cell of it is a statement of SQL, ours or Spark's."""
        if cell is not None:
            return _shown(self._st().sql(cell))
        verb, *names = shlex.split(line) or ["status"]
        if verb not in VERBS:
            raise StreamTablesError(
                f"There is no verb {verb}", hint=f"There are: {', '.join(VERBS)}."
            )
        method = VERBS[verb] if names or verb != "refresh" else "refresh_all"
        return _shown(getattr(self._st(), method)(*names))

    def _st(self) -> StreamTables:
        assert self.shell is not None
        held = self.shell.user_ns.get("st")
        if not isinstance(held, StreamTables):
            import streamtables

            folder = "./warehouse"
            held = StreamTables(streamtables.create_session(folder), folder)
            self.shell.user_ns["st"] = held
        return held


def _shown(answer: Any) -> Any:
    """An answer as a notebook can show it: a list or a DataFrame is a table, any other value has its own form."""
    if hasattr(answer, "take"):
        return _first_rows(answer)
    return Rows(answer) if isinstance(answer, list) else answer


def _first_rows(frame: DataFrame) -> Rows:
    """As many rows of a DataFrame as one can look at; dots stand for those after them."""
    rows = [[shown(value) for value in row] for row in frame.take(MOST_ROWS + 1)]
    if len(rows) > MOST_ROWS:
        rows[MOST_ROWS] = ["…"] * len(frame.columns)
    return Rows(dict(zip(frame.columns, row, strict=True)) for row in rows)


def _read(line: str) -> tuple[str, dict[str, Any]]:
    """`name schedule=5m refresh_mode=FULL`.

    >>> _read("shop.revenue schedule='on change'")
    ('shop.revenue', {'schedule': 'on change'})
    """
    name, *rest = shlex.split(line) or [""]
    TableName.parse(name)
    options = dict(part.partition("=")[::2] for part in rest)
    if unknown := sorted(options.keys() - set(_OPTIONS)):
        raise StreamTablesError(
            f"There is no option {unknown[0]}", hint=f"There are: {', '.join(_OPTIONS)}."
        )
    return name, options
