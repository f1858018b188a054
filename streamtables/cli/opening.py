"""Opening a warehouse for a command: its registry alone where that is enough, with Spark where it is not."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamtables.config import FILE, PROJECT, Settings, find_project, load_settings
from streamtables.errors import NotAStreamTable, NoWarehouse
from streamtables.model import TableName
from streamtables.output import working

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.api import StreamTables
    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable


def settings_of(warehouse: str | None, registry: str | None, file: str | None = None) -> Settings:
    """What a command was given, over the environment, over a file: by default that of the project that it runs in."""
    folder = None if file or os.environ.get(FILE) else find_project(Path.cwd())
    given = {"warehouse": warehouse, "registry": registry}
    settings = load_settings(file or (folder and folder / PROJECT), given)
    if (
        folder
        and warehouse is None
        and not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", settings.warehouse)
    ):
        return replace(settings, warehouse=str(folder / settings.warehouse))
    return settings


@contextmanager
def opened(warehouse: str | None, registry: str | None) -> Iterator[StreamTables]:
    """The stream tables of a warehouse, with a Spark session."""
    import streamtables

    settings = settings_of(warehouse, registry)
    with working("Starting Spark"):
        spark = streamtables.create_session(
            settings.warehouse,
            app_name=settings.spark.app_name,
            master=settings.spark.master,
            config=settings.spark.config,
        )
    try:
        st = streamtables.StreamTables(
            spark, settings.warehouse, registry=settings.registry or None
        )
        yield st
        st.close()
    finally:
        spark.stop()


@contextmanager
def opened_registry(warehouse: str | None, registry: str | None) -> Iterator[Catalog]:
    """The registry of a warehouse, without Spark."""
    from streamtables.catalog.base import local_folder
    from streamtables.catalog.registry import Registry

    settings = settings_of(warehouse, registry)
    folder = local_folder(settings.warehouse)
    if not settings.registry and folder is not None and not folder.exists():
        raise NoWarehouse(f"There is no warehouse {folder}", hint="Name it with --warehouse.")
    catalog = Registry.open(settings.warehouse, settings.registry or None)
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
