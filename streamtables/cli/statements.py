"""SQL from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from streamtables.cli.opening import opened
from streamtables.cli.options import AsJson, RegistryUrl, Warehouse
from streamtables.output import print_answer, working


def sql(
    text: Annotated[
        Optional[str], typer.Argument(help="Statements, ours or Spark's, with ; between them.")
    ] = None,
    file: Annotated[Optional[Path], typer.Option(help="Read them from a file.")] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Run SQL statements, one after the other.

    Example: streamtables sql "CREATE STREAM TABLE t SCHEDULE '10s' AS SELECT 1 AS x"
    """
    from streamtables.sql.split import split_statements

    if (text is None) == (file is None):
        raise typer.BadParameter("Give statements, or a --file of them.")
    statements, rest = split_statements(file.read_text(encoding="utf-8") if file else str(text))
    with opened(warehouse, registry) as st:
        for statement in [*statements, *filter(None, [rest])]:
            with working("Running"):
                answer = st.sql(statement)
            print_answer(answer, as_json)
