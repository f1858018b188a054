"""Whether a source can be followed from one position to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.spark.actions import Break, Continuity, SourceBroken, shapes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import Position
    from streamtables.spark.log import DeltaLog


def check(log: DeltaLog, since: Position, until: Position, used: Sequence[str]) -> Continuity:
    """Whether the change of the used columns between two positions can be read."""
    if since.table_id != until.table_id or since.version > until.version:
        return Continuity(Break.REPLACED, f"{log.path} is another table than it was")
    try:
        log.commits(since.version, until.version)
        if since.schema_hash != until.schema_hash:
            return _compared(log, since, until, used)
    except SourceBroken as broken:
        return Continuity(broken.reason, broken.message)
    return Continuity(None)


def _compared(log: DeltaLog, since: Position, until: Position, used: Sequence[str]) -> Continuity:
    before, after = (
        shapes(log.snapshot(position.version).metadata.schema) for position in (since, until)
    )
    changed = tuple(name for name in used if before.get(name.lower()) != after.get(name.lower()))
    if not changed:
        return Continuity(None)
    return Continuity(Break.SCHEMA_CHANGED, f"{log.path} changed: {', '.join(changed)}", changed)
