"""Opening a warehouse for a command: its registry alone where that is enough, with Spark where it is not."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from streamtables.errors import NotAStreamTable, StreamTablesError
from streamtables.model import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.api import StreamTables
    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable

HERE = "./warehouse"


@contextmanager
def opened(warehouse: str | None, registry: str | None) -> Iterator[StreamTables]:
    """The stream tables of a warehouse, with a Spark session."""
    import streamtables

    folder = warehouse or HERE
    spark = streamtables.create_session(folder)
    try:
        st = streamtables.StreamTables(spark, folder, registry=registry)
        yield st
        st.close()
    finally:
        spark.stop()


@contextmanager
def opened_registry(warehouse: str | None, registry: str | None) -> Iterator[Catalog]:
    """The registry of a warehouse, without Spark."""
    from streamtables.catalog.base import local_folder
    from streamtables.catalog.registry import Registry

    folder = local_folder(warehouse or HERE)
    if registry is None and folder is not None and not folder.exists():
        raise StreamTablesError(f"There is no warehouse {folder}", hint="Name it with --warehouse.")
    catalog = Registry.open(warehouse or HERE, registry)
    try:
        yield catalog
    finally:
        catalog.close()


def table_named(catalog: Catalog, name: str) -> StreamTable:
    """The stream table of that name, or an error that lists those there are."""
    parsed = TableName.parse(name)
    full = parsed if len(parsed.parts) > 1 else TableName(("default", *parsed.parts))
    table = catalog.find(full)
    if table is None:
        known = ", ".join(str(other.name) for other in catalog.tables()) or "none"
        raise NotAStreamTable(f"There is no stream table {full}", hint=f"There are: {known}.")
    return table
