"""The registry in the warehouse's SQLite file, read with Python's own driver.

For what reads and ends: SQLAlchemy takes longer to import than such a command takes in all.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from streamtables import codec
from streamtables.catalog.attempts import LastAttempt
from streamtables.catalog.base import SCHEMA_VERSION, CatalogReader, registry_file
from streamtables.errors import RegistryUnreachable

if TYPE_CHECKING:
    from pathlib import Path

    from streamtables.model import Frontier, Refresh, StreamTable, TableName

_JSON = {
    "bases",
    "checks",
    "columns",
    "frontier",
    "measures",
    "positions",
    "since",
    "sources",
    "views",
}
_MOMENTS = {"created_at", "data_timestamp", "started_at"}


class SqliteReader(CatalogReader):
    """A `CatalogReader` for one thread, over a file that others may write to meanwhile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, warehouse: Path | str) -> SqliteReader | None:
        """The registry inside a warehouse; None where it has yet to be made, or brought to this version."""
        file = registry_file(warehouse)
        if file is None or not file.exists():
            return None
        try:
            connection = sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=30.0)
            (version,) = connection.execute("SELECT schema_version FROM registry").fetchone()
        except sqlite3.Error:
            return None
        if version != SCHEMA_VERSION:
            connection.close()
            return None
        return cls(connection)

    def tables(self) -> list[StreamTable]:
        """All stream tables, by name."""
        rows = self._rows("SELECT * FROM stream_tables ORDER BY name_key")
        return [codec.table_from_dict(row) for row in rows]

    def find(self, name: TableName) -> StreamTable | None:
        """The stream table of that name, compared without regard to case."""
        rows = self._rows("SELECT * FROM stream_tables WHERE name_key = ?", name.key)
        return codec.table_from_dict(rows[0]) if rows else None

    def frontier(self, table_id: str) -> Frontier | None:
        """What the stream table has taken in; None when its commits must be asked."""
        rows = self._rows("SELECT * FROM frontiers WHERE table_id = ?", table_id)
        return codec.frontier_from_dict(rows[0]) if rows else None

    def frontiers(self) -> dict[str, Frontier]:
        """The frontiers of all stream tables by id, as of one moment."""
        rows = self._rows("SELECT * FROM frontiers")
        return {row["table_id"]: codec.frontier_from_dict(row) for row in rows}

    def history(
        self, table_id: str | None = None, limit: int = 100, *, written: bool = False
    ) -> list[Refresh]:
        """The last refreshes, of one table or of all, newest first; or only those that wrote."""
        rows = self._rows(
            """SELECT * FROM history
            WHERE (table_id = ?1 OR ?1 IS NULL) AND (version IS NOT NULL OR NOT ?2)
            ORDER BY id DESC LIMIT ?3""",
            *(table_id, written, limit),
        )
        return [codec.refresh_from_dict(row) for row in rows]

    def attempts(self) -> dict[str, LastAttempt]:
        """The newest attempt at each stream table that has one, by id."""
        rows = self._rows("SELECT * FROM attempts")
        return {row["table_id"]: LastAttempt.from_row(row) for row in rows}

    def paths(self) -> dict[str, str]:
        """Where the warehouse's tables lie, by `TableName.key`."""
        return {row["name_key"]: row["path"] for row in self._rows("SELECT * FROM paths")}

    def owners(self) -> dict[str, str]:
        """The projects whose files declare stream tables, by the tables' ids; those made by hand are left out."""
        return {row["table_id"]: row["project"] for row in self._rows("SELECT * FROM owners")}

    def lease_holder(self, name: str, now: datetime) -> str | None:
        """Who holds a lease that has not run out."""
        text = now.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
        query = "SELECT owner FROM leases WHERE name = ? AND expires_at > ?"
        rows = self._rows(query, name, text)
        return rows[0]["owner"] if rows else None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _rows(self, query: str, *given: object) -> list[dict[str, Any]]:
        try:
            with closing(self._connection.execute(query, given)) as cursor:
                names = [column[0] for column in cursor.description]
                return [
                    {name: _value(name, value) for name, value in zip(names, row, strict=True)}
                    for row in cursor
                ]
        except sqlite3.Error as error:
            raise RegistryUnreachable(
                f"The registry cannot be read: {error}",
                hint="Check that its file is whole and may be read.",
            ) from error


def _value(name: str, value: Any) -> Any:
    """A value as the codec wrote it; SQLAlchemy keeps moments in UTC, without saying so."""
    if value is None:
        return None
    if name in _MOMENTS:
        return codec.moment_to_text(datetime.fromisoformat(value).replace(tzinfo=timezone.utc))
    return json.loads(value) if name in _JSON else value
