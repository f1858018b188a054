"""Refreshing stream tables, and keeping the scheduler from it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Optional

import typer

from streamtables.cli.opening import opened, opened_registry, table_called
from streamtables.cli.options import AsJson, Name, RegistryUrl, Warehouse
from streamtables.model import Status
from streamtables.output import print_refreshes, print_rows, working


def refresh(
    name: Annotated[
        Optional[str], typer.Argument(help="The stream table; all of them if left out.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Recompute it.")] = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Refresh a stream table after those it reads, or all of them; exit code 1 where one fails.

    Example: streamtables refresh sales.daily
    """
    with opened(warehouse, registry) as st:
        with working(f"Refreshing {name or 'all stream tables'}"):
            done = [st.refresh(name, full=full)] if name else st.refresh_all()
        print_refreshes(done, as_json)
    if any(one.action.is_failure for one in done):
        raise typer.Exit(1)


def reinitialize(
    name: Name, warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Begin a stream table anew: recompute it, and let the scheduler have it again.

    Example: streamtables reinitialize sales.daily
    """
    with opened(warehouse, registry) as st:
        print_refreshes([st.reinitialize(name)], as_json)


def compact(
    name: Annotated[
        Optional[str], typer.Argument(help="The stream table; each with many files if left out.")
    ] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Write the small files that refreshes leave together; no rows change.

    Example: streamtables compact
    """
    with opened(warehouse, registry) as st:
        print_rows([asdict(done) for done in st.compact(name)], as_json)


def pause(name: Name, warehouse: Warehouse = None, registry: RegistryUrl = None) -> None:
    """Keep the scheduler from refreshing a stream table.

    Example: streamtables pause sales.daily
    """
    with opened_registry(warehouse, registry) as catalog:
        catalog.set_status(table_called(catalog, name).id, Status.PAUSED)


def resume(name: Name, warehouse: Warehouse = None, registry: RegistryUrl = None) -> None:
    """Let the scheduler refresh a stream table again.

    Example: streamtables resume sales.daily
    """
    with opened_registry(warehouse, registry) as catalog:
        catalog.set_status(table_called(catalog, name).id, Status.ACTIVE)
