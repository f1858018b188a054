"""Files written together, under each table's lock, so that no refresh comes between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.sql.compile import compile_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamtables.model import StreamTable
    from streamtables.refresh.run import Refresher


@dataclass(frozen=True, slots=True)
class Compaction:
    """What compacting did to a stream table's files."""

    name: str
    files_before: int
    files_after: int


def compact(
    refresher: Refresher, tables: Iterable[StreamTable], *, always: bool
) -> list[Compaction]:
    """Compact those of the tables that have many small files, or `always`."""
    done = []
    for table in tables:
        with refresher.lock(table):
            before, after = refresher.engine.compact(table, compile_table(table), always=always)
        done.append(Compaction(str(table.name), before, after))
    return done
