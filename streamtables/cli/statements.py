"""SQL from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from streamtables.cli.opening import opened
from streamtables.cli.options import RegistryUrl, Warehouse


def sql(
    text: Annotated[str, typer.Argument(help="One statement, ours or Spark's.")],
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
) -> None:
    """Run a SQL statement.

    Example: streamtables sql "CREATE STREAM TABLE t SCHEDULE '10s' AS SELECT 1 AS x"
    """
    with opened(warehouse, registry) as st:
        answer = st.sql(text)
        if hasattr(answer, "show"):
            answer.show(truncate=False)
        elif answer is not None:
            print(answer)
