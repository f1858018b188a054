"""The registry's tables, and the steps that bring an older registry up to date.

Each step is a few statements that read the same on SQLite and PostgreSQL, so a list of functions
and a number do what Alembic would, without its folder of scripts and its import at every start.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    func,
    inspect,
    select,
    update,
)

from streamtables.codec import dump, moment_from_text, moment_to_text
from streamtables.errors import RegistryUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Dialect, Engine

WRITES = "streamtables_writes"
"""The execution option of connections that write: SQLite takes its lock when they begin."""

_MIGRATION_LOCK = 0x7374726D  # "strm", an application's own number among PostgreSQL's locks


class Moment(TypeDecorator[str]):
    """A moment as the codec writes it; in UTC without a zone where the database has none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> datetime | None:
        """From the codec's text."""
        return None if value is None else moment_from_text(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> str | None:
        """To the codec's text."""
        if value is None:
            return None
        return moment_to_text(value if value.tzinfo else value.replace(tzinfo=timezone.utc))


class Json(TypeDecorator[Any]):
    """A nested value as JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """To text."""
        return None if value is None else dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """From text."""
        return None if value is None else json.loads(value)


class Prose(TypeDecorator[str]):
    """Text from anywhere: what the database cannot hold is replaced, so that no note is lost."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Without NUL, which PostgreSQL refuses, and without halves of surrogate pairs."""
        return value and value.replace("\0", "?").encode("utf-8", "replace").decode("utf-8")


METADATA = MetaData()

registry = Table(
    "registry",
    METADATA,
    Column("schema_version", Integer, nullable=False),
    Column("warehouse", Text),
)

stream_tables = Table(
    "stream_tables",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name_key", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("schedule", Text),
    Column("refresh_mode", Text, nullable=False),
    Column("columns", Json, nullable=False),
    Column("sources", Json, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("status", Text, nullable=False),
    Column("message", Prose),
    Column("views", Json, nullable=False),
)

frontiers = Table(
    "frontiers",
    METADATA,
    Column("table_id", ForeignKey(stream_tables.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("positions", Json, nullable=False),
    Column("data_timestamp", Moment),
    Column("bases", Json, nullable=False),
)

history = Table(
    "history",
    METADATA,
    Column("id", BigInteger, primary_key=True),
    Column("table_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("action", Text, nullable=False),
    Column("reason", Prose, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("rows_inserted", BigInteger, nullable=False),
    Column("rows_deleted", BigInteger, nullable=False),
    Column("version", BigInteger),
    Column("frontier", Json),
    Column("detail", Prose),
    Column("error", Prose),
    Column("measures", Json, nullable=False),
    Column("since", Json),
)

paths = Table(
    "paths",
    METADATA,
    Column("name_key", Text, primary_key=True),
    Column("path", Text, nullable=False),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("expires_at", Moment, nullable=False),
)


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


MIGRATIONS: list[Callable[[Connection], None]] = [make_tables, add_views, add_bases, add_since]
"""Step n brings a registry from version n to n + 1; a step that has been released never changes."""


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
