"""The registry in a database: SQLite in the warehouse, or PostgreSQL for several machines."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from streamtables import codec
from streamtables.catalog import statements
from streamtables.catalog.attempts import LastAttempt, is_attempt
from streamtables.catalog.base import Catalog, name_taken, not_there
from streamtables.catalog.connect import answering, connect
from streamtables.catalog.schema import (
    WRITES,
    attempts,
    frontiers,
    history,
    leases,
    owners,
    paths,
    stream_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import ColumnElement, Connection, Engine, Executable, Table

    from streamtables.model import Frontier, Refresh, Status, StreamTable, TableName


# Set by `set_status` alone, so that one who alters a table undoes no pause.
_STATUS = ("status", "message")


class Registry(Catalog):
    """A `Catalog` in an SQL database, for many threads and processes at once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(**{WRITES: True, "preserve_rowcount": True})
        # Both dialects have it; importing the one that is not used would take a tenth of a second.
        dialect = import_module(f"sqlalchemy.dialects.{engine.dialect.name}")
        self._insert_or_update = dialect.insert
        self._upserts = statements.Upserts(dialect.insert)

    @classmethod
    def open(cls, warehouse: Path | str, url: str | None = None) -> Registry:
        """Open or make the registry of a warehouse: SQLite inside it, or the database at `url`."""
        return cls(connect(warehouse, url))

    def tables(self) -> list[StreamTable]:
        """All stream tables, by name."""
        rows = self._rows(select(stream_tables).order_by(stream_tables.c.name_key))
        return [codec.table_from_dict(row) for row in rows]

    def find(self, name: TableName) -> StreamTable | None:
        """The stream table of that name, compared without regard to case."""
        rows = self._rows(statements.TABLE, name_key=name.key)
        return codec.table_from_dict(rows[0]) if rows else None

    def add(self, table: StreamTable) -> None:
        """Keep a new stream table; `NameTaken` when another has its name."""
        try:
            self._change(insert(stream_tables).values(_row(table)))
        except IntegrityError as error:
            raise name_taken(table) from error

    def update(self, table: StreamTable) -> None:
        """Replace a definition but for its status; a raised generation also forgets the frontier."""
        older = select(stream_tables.c.id).where(
            stream_tables.c.id == table.id, stream_tables.c.generation < table.generation
        )
        values = {key: value for key, value in _row(table).items() if key not in _STATUS}
        change = update(stream_tables).where(stream_tables.c.id == table.id).values(values)
        try:
            with self._writing() as connection:
                connection.execute(delete(frontiers).where(frontiers.c.table_id.in_(older)))
                if connection.execute(change).rowcount == 0:
                    raise not_there(table.id)
        except IntegrityError as error:
            raise name_taken(table) from error

    def set_status(self, table_id: str, status: Status, message: str | None = None) -> None:
        """Set whether the scheduler may refresh a stream table, and why not."""
        change = update(stream_tables).where(stream_tables.c.id == table_id)
        if self._change(change.values(status=status.value, message=message)) == 0:
            raise not_there(table_id)

    def remove(self, table_id: str) -> None:
        """Forget a stream table and its frontier, if it is there; its history stays."""
        self._change(delete(stream_tables).where(stream_tables.c.id == table_id))

    def frontier(self, table_id: str) -> Frontier | None:
        """What the stream table has taken in; None when its commits must be asked."""
        rows = self._rows(statements.FRONTIER, table_id=table_id)
        return codec.frontier_from_dict(rows[0]) if rows else None

    def frontiers(self) -> dict[str, Frontier]:
        """The frontiers of all stream tables by id, as of one moment."""
        rows = self._rows(select(frontiers))
        return {row["table_id"]: codec.frontier_from_dict(row) for row in rows}

    def set_frontier(self, table_id: str, frontier: Frontier) -> None:
        """Set the frontier whatever it was, from what the commits say."""
        with self._writing() as connection:
            if not self._move(connection, self._upserts.set_frontier, table_id, frontier):
                raise not_there(table_id)

    def note(self, refresh: Refresh) -> None:
        """Append to history and move the frontier, which never goes back to a lower number."""
        frontier = refresh.frontier
        with self._writing() as connection:
            connection.execute(statements.NOTE, codec.refresh_to_dict(refresh))
            if frontier is not None:
                self._move(connection, self._upserts.move_frontier, refresh.table_id, frontier)
            if is_attempt(refresh):
                self._count(connection, refresh)

    def history(
        self, table_id: str | None = None, limit: int = 100, *, written: bool = False
    ) -> list[Refresh]:
        """The last refreshes, of one table or of all, newest first; or only those that wrote."""
        query = select(history).order_by(history.c.id.desc()).limit(limit)
        if table_id is not None:
            query = query.where(history.c.table_id == table_id)
        if written:
            query = query.where(history.c.version.is_not(None))
        return [codec.refresh_from_dict(row) for row in self._rows(query)]

    def attempts(self) -> dict[str, LastAttempt]:
        """The newest attempt at each stream table that has one, by id."""
        rows = self._rows(select(attempts))
        return {row["table_id"]: LastAttempt.from_row(row) for row in rows}

    def prune_history(self, keep: int) -> int:
        """Keep the newest rows of each table, none of removed ones; returns how many went."""
        age = func.row_number().over(partition_by=history.c.table_id, order_by=history.c.id.desc())
        ranked = select(history.c.id, age.label("age")).subquery()
        old = select(ranked.c.id).where(ranked.c.age > keep)
        is_removed = history.c.table_id.not_in(select(stream_tables.c.id))
        return self._change(delete(history).where(or_(history.c.id.in_(old), is_removed)))

    def paths(self) -> dict[str, str]:
        """Where the warehouse's tables lie, by `TableName.key`."""
        return {row["name_key"]: row["path"] for row in self._rows(select(paths))}

    def remember_path(self, name: TableName, path: str) -> None:
        """Keep where a table lies, so that a new session can register it."""
        self._put(paths, {"name_key": name.key, "path": path})

    def forget_path(self, name: TableName) -> None:
        """Forget where a table lay."""
        self._change(delete(paths).where(paths.c.name_key == name.key))

    def owners(self) -> dict[str, str]:
        """The projects whose files declare stream tables, by the tables' ids; those made by hand are left out."""
        return {row["table_id"]: row["project"] for row in self._rows(select(owners))}

    def own(self, table_id: str, project: str) -> None:
        """Keep that a project's files declare a stream table."""
        self._put(owners, {"table_id": table_id, "project": project})

    def lease_holder(self, name: str, now: datetime) -> str | None:
        """Who holds a lease that has not run out."""
        is_running = leases.c.expires_at > codec.moment_to_text(now)
        rows = self._rows(select(leases.c.owner).where(leases.c.name == name, is_running))
        return rows[0]["owner"] if rows else None

    def take_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Take a lease that is free, has run out, or is the owner's own."""
        is_over = leases.c.expires_at <= codec.moment_to_text(now)
        lease = {"name": name, "owner": owner, "expires_at": _later(now, seconds)}
        return self._put(leases, lease, or_(is_over, leases.c.owner == owner)) == 1

    def renew_lease(self, name: str, owner: str, seconds: float, now: datetime) -> bool:
        """Hold a lease longer; False when another owner has taken it."""
        own = update(leases).where(leases.c.name == name, leases.c.owner == owner)
        return self._change(own.values(expires_at=_later(now, seconds))) == 1

    def release_lease(self, name: str, owner: str) -> None:
        """Give a lease back, if it is still the owner's."""
        self._change(delete(leases).where(leases.c.name == name, leases.c.owner == owner))

    def close(self) -> None:
        """Let go of connections."""
        self._engine.dispose()

    def _move(
        self, connection: Connection, statement: Executable, table_id: str, frontier: Frontier
    ) -> bool:
        values = {**codec.frontier_to_dict(frontier), "id": table_id}
        given = {f"new_{name}": value for name, value in values.items()}
        return connection.execute(statement, given).rowcount == 1

    def _count(self, connection: Connection, refresh: Refresh) -> None:
        row = connection.execute(statements.FAILURES, {"table_id": refresh.table_id}).first()
        if row is None:  # dropped meanwhile
            return
        last = LastAttempt.after(refresh, row.failures or 0)
        values = {"table_id": refresh.table_id, **last.to_row()}
        connection.execute(self._upserts.set_attempt, values)

    def _put(
        self, table: Table, values: Mapping[str, Any], only: ColumnElement[bool] | None = None
    ) -> int:
        statement = self._insert_or_update(table).values(values)
        return self._change(
            statement.on_conflict_do_update(
                index_elements=list(table.primary_key), set_=dict(values), where=only
            )
        )

    def _rows(self, query: Executable, **given: str) -> list[dict[str, Any]]:
        with answering(self._engine.url), self._engine.begin() as connection:
            return [dict(row) for row in connection.execute(query, given).mappings()]

    def _change(self, statement: Executable) -> int:
        with self._writing() as connection:
            return connection.execute(statement).rowcount

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with answering(self._engine.url), self._writer.begin() as connection:
            yield connection


def _row(table: StreamTable) -> dict[str, Any]:
    return {**codec.table_to_dict(table), "name_key": table.name.key}


def _later(now: datetime, seconds: float) -> str:
    return codec.moment_to_text(now + timedelta(seconds=seconds))
