"""A source: its change is its change feed.

    Δ(source) = changes between the version taken in last and the version pinned now, consolidated

Kind     leaf.
NULL     rows are compared with `<=>`.
Cost     reads what was written to the source in between.
Cases    sql/operators/scan.sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.plan.nodes import Changed

if TYPE_CHECKING:
    from streamtables.plan.nodes import Node, Scan
    from streamtables.rules.derive import Derive


def delta_scan(op: Scan, _: Derive) -> Node:
    """The changed rows of the source."""
    return Changed(op.source, op.fields, op.names)
