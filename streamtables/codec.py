"""Definitions, frontiers and refreshes as JSON: what the registry and the tables store.

Readers ignore keys they do not know, so that they outlive newer writers.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from streamtables.checks import Check, OnMismatch
from streamtables.errors import StreamTablesError
from streamtables.model import (
    Action,
    Column,
    Frontier,
    Position,
    Refresh,
    RefreshMode,
    Source,
    SourceKind,
    Status,
    StreamTable,
    TableName,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T = TypeVar("T")


def definition_to_json(table: StreamTable) -> str:
    """A stream table's definition as JSON text."""
    return dump(table_to_dict(table))


def definition_from_json(text: str) -> StreamTable:
    """The definition that `definition_to_json` wrote; ValueError for anything else."""
    return _parse(text, "a stream table's definition", table_from_dict)


def frontier_to_json(frontier: Frontier) -> str:
    """A frontier as JSON text."""
    return dump(frontier_to_dict(frontier))


def frontier_from_json(text: str) -> Frontier:
    """The frontier that `frontier_to_json` wrote; ValueError for anything else."""
    return _parse(text, "a frontier", frontier_from_dict)


def table_to_dict(table: StreamTable) -> dict[str, Any]:
    """A stream table as a JSON object."""
    return {
        "id": table.id,
        "name": str(table.name),
        "query": table.query,
        "schedule": table.schedule,
        "refresh_mode": table.refresh_mode.value,
        "columns": _columns_to_list(table.columns),
        "sources": [
            {
                "name": str(source.name),
                "kind": source.kind.value,
                "columns": _columns_to_list(source.columns),
            }
            for source in table.sources
        ],
        "fingerprint": table.fingerprint,
        "generation": table.generation,
        "created_at": moment_to_text(table.created_at),
        "status": table.status.value,
        "message": table.message,
        "views": [
            {"written": str(view.written), "name": str(view.name), "query": view.query}
            for view in table.views
        ],
        "checks": [
            {
                "name": check.name,
                "condition": check.condition,
                "on_mismatch": check.on_mismatch.value,
            }
            for check in table.checks
        ],
    }


def table_from_dict(values: Mapping[str, Any]) -> StreamTable:
    """The stream table that a JSON object describes."""
    return StreamTable(
        id=values["id"],
        name=TableName.parse(values["name"]),
        query=values["query"],
        schedule=values.get("schedule"),
        refresh_mode=RefreshMode(values["refresh_mode"]),
        columns=_columns_from_list(values["columns"]),
        sources=tuple(
            Source(
                TableName.parse(source["name"]),
                SourceKind(source["kind"]),
                _columns_from_list(source["columns"]),
            )
            for source in values["sources"]
        ),
        fingerprint=values["fingerprint"],
        generation=values["generation"],
        created_at=moment_from_text(values["created_at"]),
        status=Status(values.get("status", Status.ACTIVE)),
        message=values.get("message"),
        views=tuple(
            View(TableName.parse(view["written"]), TableName.parse(view["name"]), view["query"])
            for view in values.get("views", ())
        ),
        checks=tuple(
            Check(check["name"], check["condition"], OnMismatch(check["on_mismatch"]))
            for check in values.get("checks", ())
        ),
    )


def frontier_to_dict(frontier: Frontier) -> dict[str, Any]:
    """A frontier as a JSON object."""
    stamp = frontier.data_timestamp
    return {
        "number": frontier.number,
        "positions": _positions_to_dict(frontier.positions),
        "data_timestamp": stamp and moment_to_text(stamp),
        "bases": _positions_to_dict(frontier.bases),
    }


def frontier_from_dict(values: Mapping[str, Any]) -> Frontier:
    """The frontier that a JSON object describes."""
    stamp = values.get("data_timestamp")
    return Frontier(
        number=values["number"],
        positions=_positions_from_dict(values["positions"]),
        data_timestamp=stamp and moment_from_text(stamp),
        bases=_positions_from_dict(values.get("bases", {})),
    )


def refresh_to_dict(refresh: Refresh) -> dict[str, Any]:
    """A refresh as a JSON object."""
    return {
        "table_id": refresh.table_id,
        "name": refresh.name,
        "number": refresh.number,
        "action": refresh.action.value,
        "reason": refresh.reason,
        "started_at": moment_to_text(refresh.started_at),
        "seconds": refresh.seconds,
        "rows_inserted": refresh.rows_inserted,
        "rows_deleted": refresh.rows_deleted,
        "version": refresh.version,
        "frontier": refresh.frontier and frontier_to_dict(refresh.frontier),
        "detail": refresh.detail,
        "error": refresh.error,
        "measures": dict(refresh.measures),
        "since": refresh.since and frontier_to_dict(refresh.since),
    }


def refresh_from_dict(values: Mapping[str, Any]) -> Refresh:
    """The refresh that a JSON object describes."""
    frontier, since = values.get("frontier"), values.get("since")
    return Refresh(
        table_id=values["table_id"],
        name=values["name"],
        number=values["number"],
        action=Action(values["action"]),
        reason=values["reason"],
        started_at=moment_from_text(values["started_at"]),
        seconds=values["seconds"],
        rows_inserted=values.get("rows_inserted", 0),
        rows_deleted=values.get("rows_deleted", 0),
        version=values.get("version"),
        frontier=frontier and frontier_from_dict(frontier),
        detail=values.get("detail"),
        error=values.get("error"),
        measures=values.get("measures", {}),
        since=since and frontier_from_dict(since),
    )


def moment_to_text(moment: datetime) -> str:
    """A moment in UTC, written to the microsecond so that texts sort as moments do."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone; pass a moment in UTC")
    return moment.astimezone(timezone.utc).isoformat(timespec="microseconds")


def moment_from_text(text: str) -> datetime:
    """The moment that `moment_to_text` wrote."""
    return datetime.fromisoformat(text).astimezone(timezone.utc)


def dump(value: object) -> str:
    """JSON text: compact, in ASCII, the same for the same value."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _positions_to_dict(positions: Mapping[str, Position]) -> dict[str, dict[str, Any]]:
    return {
        key: {
            "table_id": position.table_id,
            "version": position.version,
            "schema_hash": position.schema_hash,
        }
        for key, position in positions.items()
    }


def _positions_from_dict(values: Mapping[str, Mapping[str, Any]]) -> dict[str, Position]:
    return {
        key: Position(position["table_id"], position["version"], position["schema_hash"])
        for key, position in values.items()
    }


def _columns_to_list(columns: Iterable[Column]) -> list[dict[str, str]]:
    return [{"name": column.name, "type": column.type} for column in columns]


def _columns_from_list(values: Iterable[Mapping[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(value["name"], value["type"]) for value in values)


def _parse(text: str, what: str, build: Callable[[Mapping[str, Any]], T]) -> T:
    try:
        return build(json.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError, StreamTablesError) as error:
        raise ValueError(f"This is not {what}: {text[:80]!r}") from error
