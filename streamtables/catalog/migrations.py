"""The steps that bring an older registry up to date.

Each step is a few statements that read the same on SQLite and PostgreSQL, so a list of functions
and a number do what Alembic would, without its folder of scripts and its import at every start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, inspect, select, update

from streamtables.catalog.schema import WRITES, registry
from streamtables.errors import RegistryUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

_MIGRATION_LOCK = 0x7374726D  # "strm", an application's own number among PostgreSQL's locks


def make_tables(connection: Connection) -> None:
    """From nothing to version 1."""
    serial = {"sqlite": "INTEGER", "postgresql": "BIGSERIAL"}[connection.dialect.name]
    for statement in (
        "CREATE TABLE registry (schema_version INTEGER NOT NULL, warehouse TEXT)",
        "INSERT INTO registry (schema_version) VALUES (0)",
        """CREATE TABLE stream_tables (
            id TEXT PRIMARY KEY, name_key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            query TEXT NOT NULL, schedule TEXT, refresh_mode TEXT NOT NULL,
            columns TEXT NOT NULL, sources TEXT NOT NULL, fingerprint TEXT NOT NULL,
            generation INTEGER NOT NULL, created_at TIMESTAMPTZ NOT NULL,
            status TEXT NOT NULL, message TEXT)""",
        """CREATE TABLE frontiers (
            table_id TEXT PRIMARY KEY REFERENCES stream_tables (id) ON DELETE CASCADE,
            number BIGINT NOT NULL, positions TEXT NOT NULL, data_timestamp TIMESTAMPTZ)""",
        f"""CREATE TABLE history (
            id {serial} PRIMARY KEY, table_id TEXT NOT NULL, name TEXT NOT NULL,
            number BIGINT NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL,
            started_at TIMESTAMPTZ NOT NULL, seconds DOUBLE PRECISION NOT NULL,
            rows_inserted BIGINT NOT NULL, rows_deleted BIGINT NOT NULL, version BIGINT,
            frontier TEXT, detail TEXT, error TEXT, measures TEXT NOT NULL)""",
        "CREATE INDEX history_by_table ON history (table_id, id)",
        "CREATE TABLE paths (name_key TEXT PRIMARY KEY, path TEXT NOT NULL)",
        """CREATE TABLE leases (
            name TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL)""",
    ):
        connection.exec_driver_sql(statement)


def add_views(connection: Connection) -> None:
    """From version 1 to 2: definitions keep the queries of the views that they read."""
    connection.exec_driver_sql(
        "ALTER TABLE stream_tables ADD COLUMN views TEXT NOT NULL DEFAULT '[]'"
    )


def add_bases(connection: Connection) -> None:
    """From version 2 to 3: frontiers tell where the base tables stood behind stream tables."""
    connection.exec_driver_sql("ALTER TABLE frontiers ADD COLUMN bases TEXT NOT NULL DEFAULT '{}'")


def add_since(connection: Connection) -> None:
    """From version 3 to 4: history tells the versions that each refresh went out from."""
    connection.exec_driver_sql("ALTER TABLE history ADD COLUMN since TEXT")


def add_attempts(connection: Connection) -> None:
    """From version 4 to 5: the newest attempt at each table, so that the scheduler need not search history."""
    connection.exec_driver_sql(
        """CREATE TABLE attempts (
            table_id TEXT PRIMARY KEY REFERENCES stream_tables (id) ON DELETE CASCADE,
            started_at TIMESTAMPTZ NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL,
            failures INTEGER NOT NULL)"""
    )


def add_owners(connection: Connection) -> None:
    """From version 5 to 6: which project's files declare a table, so that no other project drops it."""
    connection.exec_driver_sql(
        """CREATE TABLE owners (
            table_id TEXT PRIMARY KEY REFERENCES stream_tables (id) ON DELETE CASCADE,
            project TEXT NOT NULL)"""
    )


def add_checks(connection: Connection) -> None:
    """From version 6 to 7: definitions keep the data checks of their rows."""
    connection.exec_driver_sql(
        "ALTER TABLE stream_tables ADD COLUMN checks TEXT NOT NULL DEFAULT '[]'"
    )


MIGRATIONS: list[Callable[[Connection], None]] = [
    make_tables,
    add_views,
    add_bases,
    add_since,
    add_attempts,
    add_owners,
    add_checks,
]
"""Step n brings a registry from version n to n + 1; a step that has been released never changes.

`SCHEMA_VERSION` in `base.py` is their number, so that a reader need not import them.
"""


def migrate(engine: Engine) -> None:
    """Bring the registry to the version this code knows; refuse one of a newer version."""
    with engine.begin() as connection:
        found = _version(connection)
    while found < len(MIGRATIONS):
        found = _step(engine)
    if found > len(MIGRATIONS):
        raise RegistryUnreachable(
            f"The registry is of version {found}, and this streamtables knows {len(MIGRATIONS)}",
            hint="Install the streamtables that wrote it, or a newer one.",
        )


def _step(engine: Engine) -> int:
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        found = _version(connection)  # another process may have taken the step meanwhile
        if found < len(MIGRATIONS):
            MIGRATIONS[found](connection)
            found += 1
            connection.execute(update(registry).values(schema_version=found))
        return found


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(registry.name):
        return 0
    version: int = connection.scalars(select(registry.c.schema_version)).one()
    return version
