"""What a registry offers: Protocols for those who read it and those who write it."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from streamtables.errors import NameTaken, NotAStreamTable, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.catalog.attempts import LastAttempt
    from streamtables.model import Frontier, Refresh, Status, StreamTable, TableName


class CatalogReader(Protocol):
    """A registry, read: enough for `list`, `status` and `history`."""

    def tables(self) -> list[StreamTable]:
        """All stream tables, by name."""

    def find(self, name: TableName) -> StreamTable | None:
        """The stream table of that name, compared without regard to case."""

    def frontier(self, table_id: str) -> Frontier | None:
        """What the stream table has taken in; None when its commits must be asked."""

    def frontiers(self) -> dict[str, Frontier]:
        """The frontiers of all stream tables by id, as of one moment."""

    def history(
        self, table_id: str | None = None, limit: int = 100, *, written: bool = False
    ) -> list[Refresh]:
        """The last refreshes, of one table or of all, newest first; or only those that wrote."""

    def attempts(self) -> dict[str, LastAttempt]:
        """The newest attempt at each stream table that has one, by id."""

    def paths(self) -> dict[str, str]:
        """Where the warehouse's tables lie, by `TableName.key`."""

    def owners(self) -> dict[str, str]:
        """The projects whose files declare stream tables, by the tables' ids; those made by hand are left out."""

    def lease_holder(self, name: str, now: datetime) -> str | None:
        """Who holds a lease that has not run out."""


class Catalog(CatalogReader, Protocol):
    """A registry, written: each method is one transaction."""

    def add(self, table: StreamTable) -> None:
        """Keep a new stream table; `NameTaken` when another has its name."""

    def update(self, table: StreamTable) -> None:
        """Replace a definition but for its status; a raised generation also forgets the frontier."""

    def set_status(self, table_id: str, status: Status, message: str | None = None) -> None:
        """Set whether the scheduler may refresh a stream table, and why not."""

    def remove(self, table_id: str) -> None:
        """Forget a stream table and its frontier, if it is there; its history stays."""

    def note(self, refresh: Refresh) -> None:
        """Append to history and move the frontier, which never goes back to a lower number."""

    def set_frontier(self, table_id: str, frontier: Frontier) -> None:
        """Set the frontier whatever it was, from what the commits say."""

    def prune_history(self, keep: int) -> int:
        """Keep the newest rows of each table, none of removed ones; returns how many went."""

    def remember_path(self, name: TableName, path: str) -> None:
        """Keep where a table lies, so that a new session can register it."""

    def forget_path(self, name: TableName) -> None:
        """Forget where a table lay."""

    def own(self, table_id: str, project: str) -> None:
        """Keep that a project's files declare a stream table."""

    def take_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Take a lease that is free, has run out, or is the owner's own."""

    def renew_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Hold a lease longer; False when another owner has taken it."""

    def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back, if it is still the owner's."""

    def close(self) -> None:
        """Let go of connections."""


PRIVATE = "_streamtables"
"""The folder of a warehouse that holds what is ours and no table: registry, locks, mirrors."""


_NAMED = 10

SCHEMA_VERSION = 7
"""The version of the registry's tables that this code reads and writes (`migrations.py`)."""


def registry_file(warehouse: Path | str) -> Path | None:
    """Where SQLite keeps the registry of a warehouse; None where that is no local folder."""
    folder = local_folder(warehouse)
    return folder and folder / PRIVATE / "registry.db"


def utc_now() -> datetime:
    """The moment as the registry keeps it."""
    return datetime.now(timezone.utc)


def local_folder(warehouse: Path | str, base: Path | None = None) -> Path | None:
    """The warehouse as a local folder, relative to a base or the working folder; None where it is an object store.

    >>> local_folder("s3://bucket/warehouse") is None
    True
    >>> str(local_folder("file:///data/warehouse"))
    '/data/warehouse'
    """
    text = str(warehouse)
    if text.startswith("file:"):
        return Path(re.sub("^file:/*", "/", text))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", text):
        return None
    return ((base or Path()) / Path(text).expanduser()).absolute()


def table_named(catalog: CatalogReader, name: TableName) -> StreamTable:
    """The stream table of that name, or an error that lists those there are."""
    table = catalog.find(name)
    if table is None:
        raise unknown(name, [str(other.name) for other in catalog.tables()])
    return table


def unknown(name: TableName | str, known: Sequence[str]) -> NotAStreamTable:
    """The error for a name that no stream table has: with the nearest that one has, or some of them."""
    some = ", ".join(known[:_NAMED]) or "none"
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    hint = nearest(str(name), known, f"There are: {some}{more}.")
    return NotAStreamTable(f"There is no stream table {name}", hint=hint)


def name_taken(table: StreamTable) -> NameTaken:
    """The refusal of a second stream table of one name."""
    return NameTaken(
        f"A stream table named {table.name} exists",
        hint="Choose another name, or alter or drop that table.",
    )


def not_there(table_id: str) -> NotAStreamTable:
    """The refusal to change a stream table that the registry does not know."""
    return NotAStreamTable(
        f"The registry holds no stream table with the id {table_id}",
        hint="It may have been dropped meanwhile: list the stream tables.",
    )
