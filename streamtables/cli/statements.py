"""SQL from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

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
    """Run SQL statements, one after the other; exit code 1 where a refresh failed or a table is not its query.

    Example: streamtables sql "CREATE STREAM TABLE t SCHEDULE '10s' AS SELECT 1 AS x"
    """
    from streamtables.sql.split import split_statements

    if (text is None) == (file is None):
        raise typer.BadParameter("Give statements, or a --file of them.")
    statements, rest = split_statements(file.read_text(encoding="utf-8") if file else str(text))
    has_failed = False
    with opened(warehouse, registry) as st:
        for statement in [*statements, *filter(None, [rest])]:
            with working("Running"):
                answer = st.sql(statement)
            print_answer(answer, as_json)
            has_failed |= _tells_failure(statement, answer)
    if has_failed:
        raise typer.Exit(1)


def _tells_failure(statement: str, answer: Any) -> bool:
    """Whether a statement that went through tells of a refresh that failed, or of a table that is not its query."""
    from streamtables.sql.statements import parse_statement

    parsed = parse_statement(statement)
    if parsed is not None and parsed.verb == "refresh_all":
        return any(done.action.is_failure for done in answer)
    return parsed is not None and parsed.verb == "verify" and not answer
