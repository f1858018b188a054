"""The registry's tables."""

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
)

from streamtables.codec import dump, moment_from_text, moment_to_text

if TYPE_CHECKING:
    from sqlalchemy import Dialect

WRITES = "streamtables_writes"
"""The execution option of connections that write: SQLite takes its lock when they begin."""


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
    Column("checks", Json, nullable=False),
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

attempts = Table(
    "attempts",
    METADATA,
    Column("table_id", ForeignKey(stream_tables.c.id, ondelete="CASCADE"), primary_key=True),
    Column("started_at", Moment, nullable=False),
    Column("action", Text, nullable=False),
    Column("reason", Prose, nullable=False),
    Column("failures", Integer, nullable=False),
)

paths = Table(
    "paths",
    METADATA,
    Column("name_key", Text, primary_key=True),
    Column("path", Text, nullable=False),
)

owners = Table(
    "owners",
    METADATA,
    Column("table_id", ForeignKey(stream_tables.c.id, ondelete="CASCADE"), primary_key=True),
    Column("project", Text, nullable=False),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("expires_at", Moment, nullable=False),
)
