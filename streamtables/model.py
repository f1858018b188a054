"""The values that travel: names, stream tables, positions in sources, refreshes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import TYPE_CHECKING

from streamtables.errors import InvalidName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.checks import Check

_PART = re.compile(r"\s*(?:`((?:[^`]|``)*)`|(\w+))\s*(\.|$)")


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name as its parts, never as text to splice.

    >>> TableName.parse("sales.`by region`").parts
    ('sales', 'by region')
    >>> str(TableName(("sales", "by region")))
    'sales.`by region`'
    """

    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> TableName:
        """Read `a.b`, with backticks around a part that is not a plain word."""
        parts: list[str] = []
        position = 0
        while True:
            found = _PART.match(text, position)
            part = found and ((found[1] or "").replace("``", "`") or found[2])
            if not found or not part:
                raise InvalidName(
                    f"{text!r} does not name a table",
                    hint="Write table or schema.table, with `backticks` around unusual parts.",
                )
            parts.append(part)
            position = found.end()
            if found[3] == "":
                return cls(tuple(parts))

    @property
    def key(self) -> str:
        """The name as a key: Spark compares names without regard to case."""
        return self.quoted.lower()

    @property
    def with_schema(self) -> TableName:
        """The name as a new session resolves it: a lone name lies in the schema `default`."""
        return self if len(self.parts) > 1 else TableName(("default", *self.parts))

    @property
    def quoted(self) -> str:
        """The name with every part quoted, safe inside SQL."""
        return ".".join("`" + part.replace("`", "``") + "`" for part in self.parts)

    def __str__(self) -> str:
        return ".".join(
            part if re.fullmatch(r"\w+", part) else "`" + part.replace("`", "``") + "`"
            for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name and its type as Spark writes it."""

    name: str
    type: str


class RefreshMode(str, Enum):
    """How a stream table may be refreshed."""

    AUTO = "AUTO"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"


class Action(str, Enum):
    """What a refresh did."""

    NO_DATA = "NO_DATA"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"
    REINITIALIZE = "REINITIALIZE"
    SKIPPED = "SKIPPED"
    FAILED = "FAILED"
    UPSTREAM_FAILED = "UPSTREAM_FAILED"

    @property
    def is_failure(self) -> bool:
        """Whether the table should have been refreshed, and could not."""
        return self in (Action.FAILED, Action.UPSTREAM_FAILED)


class Status(str, Enum):
    """Whether the scheduler may refresh a stream table."""

    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"
    SUSPENDED = "SUSPENDED"


class SourceKind(str, Enum):
    """How the changes of a source become known."""

    DELTA = "DELTA"  # a Delta table: from its log
    MIRRORED = "MIRRORED"  # any other table: by comparing it with a private Delta copy


@dataclass(frozen=True, slots=True)
class Source:
    """A table that a query reads: its name as resolved at creation, and its columns."""

    name: TableName
    kind: SourceKind
    columns: tuple[Column, ...]


CLOCK = "now()"
"""The key of the clock among the sources: a query that reads the time has a position in it, in microseconds."""


@dataclass(frozen=True, slots=True)
class View:
    """A view that a query reads: its name as written and as resolved, and the query behind it, over tables alone."""

    written: TableName
    name: TableName
    query: str


@dataclass(frozen=True, slots=True)
class Position:
    """A moment of one source: which table it is, and how far it was read."""

    table_id: str
    version: int
    schema_hash: str

    @classmethod
    def of_clock(cls, moment: datetime) -> Position:
        """A moment as a position of the clock: its version is in microseconds since 1970."""
        since = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
        return cls(CLOCK, since // timedelta(microseconds=1), "")


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a stream table has taken in: a position per source (by `TableName.key`)."""

    number: int
    positions: Mapping[str, Position]
    data_timestamp: datetime | None = None
    bases: Mapping[str, Position] = field(default_factory=dict)
    """Where a table over stream tables stands in the base tables behind them, its own included; else empty."""

    def windows(self, ahead: Frontier) -> dict[str, Window]:
        """What a refresh from here to a later frontier takes in of each source."""
        nowhere = Position("", -1, "")
        return {
            key: Window(self.positions.get(key, nowhere), until)
            for key, until in ahead.positions.items()
        }


@dataclass(frozen=True, slots=True)
class StreamTable:
    """The definition of one stream table."""

    id: str
    name: TableName
    query: str
    schedule: str | None
    refresh_mode: RefreshMode
    columns: tuple[Column, ...]
    sources: tuple[Source, ...]
    fingerprint: str
    generation: int
    created_at: datetime
    status: Status = Status.ACTIVE
    message: str | None = None
    views: tuple[View, ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def app_id(self) -> str:
        """The application id of this table's Delta transactions."""
        return f"streamtables:{self.id}:{self.generation}"


@dataclass(frozen=True, slots=True)
class Refresh:
    """One attempt to refresh one stream table, as history keeps it."""

    table_id: str
    name: str
    number: int
    action: Action
    reason: str
    started_at: datetime
    seconds: float
    rows_inserted: int = 0
    rows_deleted: int = 0
    version: int | None = None
    frontier: Frontier | None = None
    detail: str | None = None
    error: str | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    since: Frontier | None = None
    """What the table had taken in before: with `frontier`, the versions of each source from and to."""


@dataclass(frozen=True, slots=True)
class Window:
    """What one refresh takes in of one source: the change from `since` (exclusive) to `until`."""

    since: Position
    until: Position


@dataclass(frozen=True, slots=True)
class Condition:
    """How a Delta table is kept, and whether what came after a version of it can still be read."""

    version: int
    keeps_s: float
    """How long what a commit replaced, and the commit itself, stay."""
    behind_since: datetime | None
    """When the first commit after the version was made; None if there is none, or it does not say."""
    is_lost: bool
    has_deletion_vectors: bool
    has_feed: bool
    file_count: int | None
    size_bytes: int | None
    may_write: bool | None
    """Whether this process may write there; None where only trying would tell."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a stream table's own log says: its version, and the refresh that wrote last."""

    version: int
    frontier: Frontier
    is_foreign: bool  # somebody else changed rows after that refresh


@dataclass(frozen=True, slots=True)
class Committed:
    """The result of writing: the version made, or None where nothing had to be written."""

    version: int | None
    rows_inserted: int
    rows_deleted: int
    measures: Mapping[str, float] = field(default_factory=dict)
