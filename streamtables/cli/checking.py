"""Looking at rows: a stream table against its query, and what changed in it."""

from __future__ import annotations

from typing import Annotated

import typer

from streamtables.cli.opening import opened
from streamtables.cli.options import AsJson, Name, RegistryUrl, Warehouse
from streamtables.output import as_json_text, print_rows


def verify(
    name: Name, warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Compare a stream table with its query, run in full; exit code 1 where they differ.

    Example: streamtables verify sales.daily
    """
    with opened(warehouse, registry) as st:
        found = st.verify(name)
    print(as_json_text(found) if as_json else found)
    if not found:
        raise typer.Exit(1)


def doctor(
    warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Say what is wrong or about to go wrong; exit code 1 where more than notes are found.

    Example: streamtables doctor
    """
    with opened(warehouse, registry) as st:
        found = st.doctor()
    if as_json:
        print(as_json_text(found))
    else:
        print_rows([vars(finding) for finding in found.findings], as_json)
        print_rows(
            [{**vars(row), "seconds": round(row.seconds)} for row in found.headroom], as_json
        )
    if not found:
        raise typer.Exit(1)


def changes(
    name: Name,
    since: Annotated[int, typer.Option(help="The version of the table to start after.")],
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's net change since one of its versions.

    Example: streamtables changes sales.daily --since 3
    """
    with opened(warehouse, registry) as st:
        frame = st.changes(name, since)
        print_rows([row.asDict() for row in frame.collect()], as_json)
