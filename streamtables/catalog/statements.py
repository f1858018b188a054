"""The statements of every refresh, made once: to make one takes longer than SQLite takes to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, select

from streamtables.catalog.schema import attempts, frontiers, history, stream_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement, Executable

TABLE = select(stream_tables).where(stream_tables.c.name_key == bindparam("name_key"))
FRONTIER = select(frontiers).where(frontiers.c.table_id == bindparam("table_id"))
NOTE = insert(history)
FAILURES = (
    select(stream_tables.c.id, attempts.c.failures)
    .outerjoin_from(stream_tables, attempts, attempts.c.table_id == stream_tables.c.id)
    .where(stream_tables.c.id == bindparam("table_id"))
)


class Upserts:
    """Those that make a row or change it, in the form of one database, whose INSERT is given."""

    def __init__(self, insert_or_update: Callable[..., Any]) -> None:
        self._insert = insert_or_update
        self.set_frontier = self._frontier(None)
        self.move_frontier = self._frontier(
            frontiers.c.number <= bindparam("new_number", type_=frontiers.c.number.type)
        )
        statement = insert_or_update(attempts)
        self.set_attempt: Executable = statement.on_conflict_do_update(
            index_elements=[attempts.c.table_id],
            set_={column.name: statement.excluded[column.name] for column in attempts.c},
        )

    def _frontier(self, only: ColumnElement[bool] | None) -> Executable:
        """Set a frontier; selected from the definition: a table dropped meanwhile gets none."""
        columns = [column for column in frontiers.c if column.name != "table_id"]
        given = [bindparam(f"new_{column.name}", type_=column.type) for column in columns]
        row = select(stream_tables.c.id, *given).where(stream_tables.c.id == bindparam("new_id"))
        names = [column.name for column in columns]
        statement = self._insert(frontiers).from_select(["table_id", *names], row)
        changed: Executable = statement.on_conflict_do_update(
            index_elements=[frontiers.c.table_id],
            set_={name: statement.excluded[name] for name in names},
            where=only,
        )
        return changed
