"""What the registry knows, printed without starting Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from streamtables.cli.opening import reading, settings_of, table_called
from streamtables.cli.options import AsJson, Name, RegistryUrl, Warehouse
from streamtables.output import as_json_text, print_answer, print_refreshes, print_rows


def list_(
    warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """List the stream tables.

    Example: streamtables list
    """
    with reading(warehouse, registry) as catalog:
        print_answer(catalog.tables(), as_json)


def status(
    warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Show each stream table's state, last refresh and freshness.

    Example: streamtables status
    """
    from streamtables.catalog.status import status_rows

    zone = settings_of(warehouse, registry).daemon.timezone
    with reading(warehouse, registry) as catalog:
        print_rows(status_rows(catalog, zone=zone), as_json)


def history(
    name: Name,
    limit: Annotated[int, typer.Option(help="How many refreshes.")] = 20,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's last refreshes, newest first.

    Example: streamtables history sales.daily --limit 5
    """
    with reading(warehouse, registry) as catalog:
        print_refreshes(catalog.history(table_called(catalog, name).id, limit), as_json)


def explain(
    name: Name,
    why_full: Annotated[
        bool, typer.Option("--why-full", help="Say in one sentence why it was recomputed.")
    ] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Draw the query's operators.")] = False,
    html: Annotated[
        Optional[Path], typer.Option("--html", help="Write a page with a picture into this file.")
    ] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show what a refresh does, step by step, and why.

    Example: streamtables explain sales.daily --why-full
    """
    from streamtables.refresh.explain import explain as explained

    with reading(warehouse, registry) as catalog:
        table = table_called(catalog, name)
        found = explained(table, catalog.history(table.id))
    if html is not None:
        from streamtables.page.explaining import explanation_page

        html.write_text(explanation_page(found), encoding="utf-8")
        print(html)
    elif as_json:
        print(as_json_text(found))
    elif why_full:
        print(found.why_full)
    else:
        print(found.mermaid() if mermaid else found)
