"""What others want of the definitions: where columns come from, and the files to make them again."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Optional

import typer

from streamtables.cli.opening import opened_registry, reading, settings_of, table_called
from streamtables.cli.options import AsJson, RegistryUrl, Warehouse
from streamtables.errors import StreamTablesError
from streamtables.output import as_json_text

OneName = Annotated[
    Optional[str], typer.Argument(help="The stream table; all of them if left out.")
]


def lineage(
    name: OneName = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", help="Write a picture into this file.")
    ] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print Mermaid text.")] = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show who reads whom, and which columns each column comes from.

    Example: streamtables lineage sales.daily --html lineage.html
    """
    from streamtables.page.lineage import lineage as found_lineage
    from streamtables.page.page import graph_page

    with reading(warehouse, registry) as catalog:
        full = str(table_called(catalog, name).name) if name else None
        found = found_lineage(catalog.tables(), full)
    if html is not None:
        html.write_text(graph_page(found), encoding="utf-8")
        print(html)
    elif mermaid:
        print(found.mermaid())
    elif as_json or found.tables:
        print(as_json_text(found.as_dict()) if as_json else found)


def export(
    name: OneName = None,
    to: Annotated[
        Optional[Path], typer.Option(help="A project's folder; standard output if left out.")
    ] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
) -> None:
    """Write the definitions as files of SQL.

    Example: streamtables export --to shop
    """
    from streamtables.refresh.export import exported

    with reading(warehouse, registry) as catalog:
        files = exported([table_called(catalog, name)] if name else catalog.tables())
    if to is None:
        print("\n".join(f"{text.rstrip()}\n;" for text in files.values()))
        return
    if there := [path for path in files if (to / path).exists()]:
        raise StreamTablesError(
            f"{to / there[0]} is there already", hint="Name another folder with --to."
        )
    for path, text in files.items():
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        (to / path).write_text(text, encoding="utf-8")
        print(to / path)


def page(
    host: Annotated[str, typer.Option(help="Where to listen; this machine alone if left out.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="The port; 0 for any that is free.")] = 9188,
    token: Annotated[
        str,
        typer.Option(
            envvar="STREAMTABLES_TOKEN",
            help="Who has it may read the page; where others can reach it, one is made if left out.",
        ),
    ] = "",
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
) -> None:
    """Serve the page of the registry until interrupted; nothing can be changed through it.

    Example: streamtables page --port 8080
    """
    from streamtables.page.serve import Pages
    from streamtables.page.web import Served, site, url

    settings = settings_of(warehouse, registry)
    with opened_registry(warehouse, registry) as catalog:
        pages = Pages(catalog, settings.warehouse, host, token, settings.daemon.timezone)
        served = Served(site(pages, {}), host, port)
        print(url(host, served.port, pages.token), flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
        served.stop()
