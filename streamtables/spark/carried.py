"""What a stream table carries about itself in its properties: its definition, and the warehouse that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.codec import definition_from_json, definition_to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import StreamTable
    from streamtables.spark.log import DeltaLog

DEFINITION = "streamtables.definition"
_WAREHOUSE = "streamtables.warehouse"


def properties_of(table: StreamTable, warehouse: str) -> Mapping[str, str]:
    """What a stream table of a warehouse is to carry."""
    return {DEFINITION: definition_to_json(table), _WAREHOUSE: warehouse}


def definition_in(log: DeltaLog | None) -> StreamTable | None:
    """The definition that a table carries; None for one that is no stream table."""
    text = log.metadata().properties.get(DEFINITION) if log is not None else None
    return definition_from_json(text) if text else None


def is_of(log: DeltaLog | None, warehouse: str) -> bool:
    """Whether a table is a warehouse's: it lies in its folder, which may have been moved, or says so.

    One catalog may show the tables of several warehouses, and a schema's folder may lie outside of them all.
    """
    if log is None:
        return False
    is_inside = log.path.startswith(f"{warehouse.rstrip('/')}/")
    return is_inside or log.metadata().properties.get(_WAREHOUSE) == warehouse
