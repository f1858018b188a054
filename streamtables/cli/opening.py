"""Opening a warehouse for a command: its registry alone where that is enough, with Spark where it is not."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamtables.catalog.base import local_folder, table_named
from streamtables.config import FILE, PROJECT, Settings, find_project, load_settings
from streamtables.errors import NoWarehouse
from streamtables.model import TableName
from streamtables.output import working

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamtables.api import StreamTables
    from streamtables.catalog.base import Catalog, CatalogReader
    from streamtables.model import StreamTable


def settings_of(warehouse: str | None, registry: str | None, file: str | None = None) -> Settings:
    """What a command was given, over the environment, over a file: by default that of the project that it runs in."""
    folder = None if file or os.environ.get(FILE) else find_project(Path.cwd())
    given = {"warehouse": warehouse, "registry": registry}
    settings = load_settings(file or (folder and folder / PROJECT), given)
    if folder is None or warehouse is not None:
        return settings
    place = local_folder(settings.warehouse, folder)
    return replace(settings, warehouse=str(place or settings.warehouse))


def started(settings: Settings, observe: Callable[[str], None] = lambda _: None) -> StreamTables:
    """The stream tables of a warehouse on a Spark session made as the settings say."""
    import streamtables

    spark = streamtables.create_session(
        settings.warehouse,
        app_name=settings.spark.app_name,
        master=settings.spark.master,
        config=settings.spark.config,
    )
    registry = settings.registry or None
    return streamtables.StreamTables(spark, settings.warehouse, registry=registry, observe=observe)


@contextmanager
def opened(warehouse: str | None, registry: str | None) -> Iterator[StreamTables]:
    """The stream tables of a warehouse, with a Spark session that ends with the block."""
    settings = settings_of(warehouse, registry)
    with working("Starting Spark"):
        st = started(settings)
    try:
        yield st
    finally:
        st.close()
        st.spark.stop()


@contextmanager
def opened_registry(warehouse: str | None, registry: str | None) -> Iterator[Catalog]:
    """The registry of a warehouse, without Spark."""
    from streamtables.catalog.registry import Registry

    settings = _of_a_warehouse(warehouse, registry)
    with closing(Registry.open(settings.warehouse, settings.registry or None)) as catalog:
        yield catalog


@contextmanager
def reading(warehouse: str | None, registry: str | None) -> Iterator[CatalogReader]:
    """The registry of a warehouse, to look at and let go: where it is a file, without SQLAlchemy."""
    from streamtables.catalog.reader import SqliteReader

    settings = _of_a_warehouse(warehouse, registry)
    reader = None if settings.registry else SqliteReader.open(settings.warehouse)
    if reader is None:
        with opened_registry(warehouse, registry) as catalog:
            yield catalog
    else:
        with closing(reader):
            yield reader


def _of_a_warehouse(warehouse: str | None, registry: str | None) -> Settings:
    settings = settings_of(warehouse, registry)
    folder = local_folder(settings.warehouse)
    if not settings.registry and folder is not None and not folder.exists():
        raise NoWarehouse(f"There is no warehouse {folder}", hint="Name it with --warehouse.")
    return settings


def table_called(catalog: CatalogReader, name: str) -> StreamTable:
    """The stream table of a name as written on the command line."""
    return table_named(catalog, TableName.parse(name).with_schema)
