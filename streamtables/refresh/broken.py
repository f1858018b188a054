"""Why a refresh cannot go on from where the last one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.refresh.define import redefined_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import StreamTable, Window, Written
    from streamtables.refresh.engine import Engine
    from streamtables.sql.compile import Compiled


def broken_by(
    engine: Engine,
    table: StreamTable,
    compiled: Compiled,
    written: Written | None,
    windows: Mapping[str, Window],
) -> tuple[str, str] | None:
    """Why nothing less than a comparison with the full query will do, or None."""
    if written is None:
        return "QUERY_CHANGED", f"{table.name} holds no answer of this query yet"
    if view := redefined_view(engine, table):
        return "VIEW_CHANGED", f"{view.name} has another query now"
    if written.is_foreign:
        return "RESULT_CHANGED", f"{table.name} has commits that are not of streamtables"
    used = compiled.columns_used()
    for source in table.sources:
        window = windows[source.name.key]
        if window.since != window.until and (
            found := engine.broken(source, window, used[source.name.key])
        ):
            return found
    return None
