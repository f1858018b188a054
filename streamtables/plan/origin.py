"""Where a column comes from: the materialised leaf whose values it can only have."""

from __future__ import annotations

from streamtables.plan import nodes as n


def origin(change: n.Node, column: str) -> tuple[n.Changed | n.Step, str] | None:
    """The materialised column from which a column of a cheap change comes."""
    while isinstance(change, (n.Filter, n.Project)):
        if isinstance(change, n.Project):
            found = {item.name: item.expr.column for item in change.items}.get(column)
            if found is None:
                return None
            column = found
        change = change.child
    return (change, column) if isinstance(change, (n.Changed, n.Step)) else None
