"""What the text of a Delta log says: commits and metadata as values, without Spark."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from streamtables.errors import SourceChanged
from streamtables.model import Column, Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What of a field's metadata decides how its values read; comments and the like do not.
_READING = ("delta.columnMapping.physicalName", "__CHAR_VARCHAR_TYPE_STRING")

# Operations that say themselves how many rows they changed, where their files tell only how many
# rows were written anew; an update takes a row away and adds one.
_COUNTED = {
    "DELETE": {"numDeletedRows": 1},
    "UPDATE": {"numUpdatedRows": 2},
    "MERGE": {"numTargetRowsInserted": 1, "numTargetRowsDeleted": 1, "numTargetRowsUpdated": 2},
}


class Break(str, Enum):
    """Why the change of a source between two positions cannot be read as one."""

    REPLACED = "REPLACED"  # another table, or an earlier version of it, is in its place
    SCHEMA_CHANGED = "SCHEMA_CHANGED"  # a column that is read went, or reads otherwise
    VERSIONS_MISSING = "VERSIONS_MISSING"  # the log lacks a commit
    VERSION_VACUUMED = "VERSION_VACUUMED"  # files of the earlier version are gone


class SourceBroken(SourceChanged):
    """A source's change cannot be read; `reason` is a stable code."""

    def __init__(self, reason: Break, message: str) -> None:
        self.reason = reason
        super().__init__(message, hint="Refresh the stream table in full.")


@dataclass(frozen=True, slots=True)
class Continuity:
    """Whether a source can be followed from one position to another, and if not, why."""

    reason: Break | None
    message: str = ""
    columns: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the change can be read."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class Metadata:
    """A table's metadata: which table it is, and its columns."""

    table_id: str
    schema: str
    partition_columns: tuple[str, ...]
    properties: Mapping[str, str]

    @classmethod
    def of(cls, action: Mapping[str, Any]) -> Metadata:
        """Read a `metaData` action."""
        return cls(
            action["id"],
            action["schemaString"],
            tuple(action.get("partitionColumns", ())),
            dict(action.get("configuration") or {}),
        )

    @property
    def schema_hash(self) -> str:
        """Changes whenever a column comes, goes, moves, or reads otherwise than before."""
        text = json.dumps(list(shapes(self.schema).items()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, with their types as Spark writes them."""
        from pyspark.sql.types import StructType

        fields = StructType.fromJson(json.loads(self.schema)).fields
        return tuple(Column(field.name, field.dataType.simpleString()) for field in fields)

    def at(self, version: int) -> Position:
        """The position of a version under this metadata."""
        return Position(self.table_id, version, self.schema_hash)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version of a table, as far as it is known without reading its rows."""

    version: int
    metadata: Metadata
    features: frozenset[str]


@dataclass(frozen=True, slots=True)
class Commit:
    """One version of a Delta log; of its files, those that change rows (OPTIMIZE has none)."""

    version: int
    adds: tuple[Mapping[str, Any], ...]
    removes: tuple[Mapping[str, Any], ...]
    feed: tuple[Mapping[str, Any], ...]
    metadata: Metadata | None
    changes_protocol: bool
    info: Mapping[str, Any]
    transactions: Mapping[str, int]

    @classmethod
    def parse(cls, version: int, text: str) -> Commit:
        """Read the lines of a commit file."""
        found: dict[str, list[Any]] = {}
        for line in filter(str.strip, text.splitlines()):
            for kind, action in json.loads(line).items():
                found.setdefault(kind, []).append(action)
        metadata = found.get("metaData")
        return cls(
            version,
            tuple(add for add in found.get("add", ()) if add["dataChange"]),
            tuple(gone for gone in found.get("remove", ()) if gone["dataChange"]),
            tuple(found.get("cdc", ())),
            Metadata.of(metadata[-1]) if metadata else None,
            "protocol" in found,
            found.get("commitInfo", [{}])[0],
            {txn["appId"]: txn["version"] for txn in found.get("txn", ())},
        )

    @property
    def changes_rows(self) -> bool:
        """Whether rows can have changed; False is certain, True is not."""
        return bool(self.adds or self.removes)

    @property
    def user_metadata(self) -> str | None:
        """What the writer said of the commit."""
        text: str | None = self.info.get("userMetadata")
        return text

    @property
    def rows(self) -> int | None:
        """How many rows the commit took away and added, at most; None where nothing tells."""
        counts = _COUNTED.get(self.info.get("operation", ""), {})
        metrics = self.info.get("operationMetrics") or {}
        if counts and all(str(metrics.get(name, "")).isdigit() for name in counts):
            return sum(int(metrics[name]) * factor for name, factor in counts.items())
        return rows_in_files(self.adds, self.removes)


@lru_cache(maxsize=4096)
def shapes(schema: str) -> Mapping[str, str]:
    """Each column by its name in lower case: what decides how its values read, as one text."""
    fields = json.loads(schema)["fields"]
    return {field["name"].lower(): json.dumps(_field_shape(field)) for field in fields}


def most_hidden(adds: Iterable[Mapping[str, Any]], removes: Iterable[Mapping[str, Any]]) -> int:
    """How many rows are hidden on both sides together, of the file on both sides with most of them."""
    seen: dict[str, list[int]] = {}
    for file in (*adds, *removes):
        vector = file.get("deletionVector") or {}
        seen.setdefault(file["path"], []).append(vector.get("cardinality", 0))
    return max((sum(counts) for counts in seen.values() if len(counts) > 1), default=0)


def rows_in_files(
    adds: Iterable[Mapping[str, Any]], removes: Iterable[Mapping[str, Any]]
) -> int | None:
    """How many rows reading these files gives, at most: of a file on both sides, those hidden."""
    seen: dict[str, list[tuple[int, int]]] = {}
    for file in (*adds, *removes):
        held = json.loads(file.get("stats") or "{}").get("numRecords")
        if held is None:
            return None
        hidden = (file.get("deletionVector") or {}).get("cardinality", 0)
        seen.setdefault(file["path"], []).append((held, hidden))
    return sum(
        sum(hidden for _, hidden in sides) if len(sides) > 1 else sides[0][0] - sides[0][1]
        for sides in seen.values()
    )


def _field_shape(field: Mapping[str, Any]) -> dict[str, Any]:
    """A field's type, and its name inside the files, which is its own without column mapping."""
    metadata = field.get("metadata") or {}
    known = {"delta.columnMapping.physicalName": field["name"]} | metadata
    return {"type": _type_shape(field["type"])} | {key: known.get(key) for key in _READING}


def _type_shape(kind: Any) -> Any:
    if isinstance(kind, str):
        return kind
    parts = ("type", "elementType", "keyType", "valueType")
    shape = {part: _type_shape(kind[part]) for part in parts if part in kind}
    if "fields" in kind:
        shape["fields"] = {field["name"].lower(): _field_shape(field) for field in kind["fields"]}
    return shape
