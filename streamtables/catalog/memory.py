"""The registry in a dict, for tests and notebooks."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from streamtables.catalog.attempts import LastAttempt, is_attempt
from streamtables.catalog.base import Catalog, name_taken, not_there

if TYPE_CHECKING:
    from datetime import datetime

    from streamtables.model import Frontier, Refresh, Status, StreamTable, TableName


class MemoryCatalog(Catalog):
    """A `Catalog` that lives as long as its process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tables: dict[str, StreamTable] = {}
        self._frontiers: dict[str, Frontier] = {}
        self._history: list[Refresh] = []
        self._attempts: dict[str, LastAttempt] = {}
        self._paths: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._leases: dict[str, tuple[str, datetime]] = {}

    def tables(self) -> list[StreamTable]:
        """All stream tables, by name."""
        with self._lock:
            return sorted(self._tables.values(), key=lambda table: table.name.key)

    def find(self, name: TableName) -> StreamTable | None:
        """The stream table of that name, compared without regard to case."""
        return next((table for table in self.tables() if table.name.key == name.key), None)

    def add(self, table: StreamTable) -> None:
        """Keep a new stream table; `NameTaken` when another has its name."""
        with self._lock:
            if table.id in self._tables or self.find(table.name):
                raise name_taken(table)
            self._tables[table.id] = table

    def update(self, table: StreamTable) -> None:
        """Replace a definition but for its status; a raised generation also forgets the frontier."""
        with self._lock:
            known = self._tables.get(table.id)
            if known is None:
                raise not_there(table.id)
            namesake = self.find(table.name)
            if namesake and namesake.id != table.id:
                raise name_taken(table)
            if known.generation < table.generation:
                self._frontiers.pop(table.id, None)
            self._tables[table.id] = replace(table, status=known.status, message=known.message)

    def set_status(self, table_id: str, status: Status, message: str | None = None) -> None:
        """Set whether the scheduler may refresh a stream table, and why not."""
        with self._lock:
            known = self._tables.get(table_id)
            if known is None:
                raise not_there(table_id)
            self._tables[table_id] = replace(known, status=status, message=message)

    def remove(self, table_id: str) -> None:
        """Forget a stream table and its frontier, if it is there; its history stays."""
        with self._lock:
            self._tables.pop(table_id, None)
            self._frontiers.pop(table_id, None)
            self._attempts.pop(table_id, None)
            self._owners.pop(table_id, None)

    def frontier(self, table_id: str) -> Frontier | None:
        """What the stream table has taken in; None when its commits must be asked."""
        with self._lock:
            return self._frontiers.get(table_id)

    def frontiers(self) -> dict[str, Frontier]:
        """The frontiers of all stream tables by id, as of one moment."""
        with self._lock:
            return dict(self._frontiers)

    def set_frontier(self, table_id: str, frontier: Frontier) -> None:
        """Set the frontier whatever it was, from what the commits say."""
        with self._lock:
            if table_id not in self._tables:
                raise not_there(table_id)
            self._frontiers[table_id] = frontier

    def note(self, refresh: Refresh) -> None:
        """Append to history and move the frontier, which never goes back to a lower number."""
        with self._lock:
            self._history.append(refresh)
            frontier, known = refresh.frontier, self._frontiers.get(refresh.table_id)
            if refresh.table_id not in self._tables or not is_attempt(refresh):
                return
            before = self._attempts.get(refresh.table_id)
            self._attempts[refresh.table_id] = LastAttempt.after(
                refresh, before.failures if before else 0
            )
            if frontier is None:
                return
            if known is None or known.number <= frontier.number:
                self._frontiers[refresh.table_id] = frontier

    def history(
        self, table_id: str | None = None, limit: int = 100, *, written: bool = False
    ) -> list[Refresh]:
        """The last refreshes, of one table or of all, newest first; or only those that wrote."""
        with self._lock:
            wanted = (row for row in reversed(self._history) if table_id in {None, row.table_id})
            kept = (row for row in wanted if not written or row.version is not None)
            return list(islice(kept, limit))

    def attempts(self) -> dict[str, LastAttempt]:
        """The newest attempt at each stream table that has one, by id."""
        with self._lock:
            return dict(self._attempts)

    def prune_history(self, keep: int) -> int:
        """Keep the newest rows of each table, none of removed ones; returns how many went."""
        with self._lock:
            kept = [row for table_id in self._tables for row in self.history(table_id, keep)]
            ids = {id(row) for row in kept}
            before = len(self._history)
            self._history = [row for row in self._history if id(row) in ids]
            return before - len(self._history)

    def paths(self) -> dict[str, str]:
        """Where the warehouse's tables lie, by `TableName.key`."""
        with self._lock:
            return dict(self._paths)

    def remember_path(self, name: TableName, path: str) -> None:
        """Keep where a table lies, so that a new session can register it."""
        with self._lock:
            self._paths[name.key] = path

    def forget_path(self, name: TableName) -> None:
        """Forget where a table lay."""
        with self._lock:
            self._paths.pop(name.key, None)

    def owners(self) -> dict[str, str]:
        """The projects whose files declare stream tables, by the tables' ids; those made by hand are left out."""
        with self._lock:
            return dict(self._owners)

    def own(self, table_id: str, project: str) -> None:
        """Keep that a project's files declare a stream table."""
        with self._lock:
            if table_id in self._tables:
                self._owners[table_id] = project

    def lease_holder(self, name: str, now: datetime) -> str | None:
        """Who holds a lease that has not run out."""
        with self._lock:
            owner, expires_at = self._leases.get(name, (None, now))
            return owner if expires_at > now else None

    def take_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Take a lease that is free, has run out, or is the owner's own."""
        with self._lock:
            if self.lease_holder(name, now) not in {None, owner}:
                return False
            self._leases[name] = (owner, now + timedelta(seconds=seconds))
            return True

    def renew_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Hold a lease longer; False when another owner has taken it."""
        with self._lock:
            if self._leases.get(name, ("", now))[0] != owner:
                return False
            self._leases[name] = (owner, now + timedelta(seconds=seconds))
            return True

    def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back, if it is still the owner's."""
        with self._lock:
            if self._leases.get(name, ("", None))[0] == owner:
                del self._leases[name]

    def close(self) -> None:
        """Let go of connections: there are none."""
