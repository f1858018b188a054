"""Looking at rows: a stream table against its query, and what changed in it."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import Annotated, Optional

import typer

from streamtables.cli.opening import opened, settings_of
from streamtables.cli.options import AsJson, Name, RegistryUrl, Warehouse
from streamtables.output import as_json_text, print_answer, print_rows, shown, working


def verify(
    name: Name, warehouse: Warehouse = None, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Compare a stream table with its query, run in full; exit code 1 where they differ.

    Example: streamtables verify sales.daily
    """
    with opened(warehouse, registry) as st, working(f"Verifying {name}"):
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
        found = st.doctor(settings_of(warehouse, registry).doctor)
    if as_json:
        print(as_json_text(found))
    else:
        print_rows([vars(finding) for finding in found.findings])
        print_rows([{**vars(row), "seconds": round(row.seconds)} for row in found.headroom])
    if not found:
        raise typer.Exit(1)


def changes(
    name: Name,
    since: Annotated[
        Optional[int],
        typer.Option(help="The version to start after; that before the last change if left out."),
    ] = None,
    until: Annotated[Optional[int], typer.Option(help="The last version; the newest.")] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's net change between two of its versions: its rows, and how many come (+) or go (-).

    Example: streamtables changes sales.daily --since 3
    """
    with opened(warehouse, registry) as st:
        print_answer(st.changes(name, since, until), as_json)


def watch(
    name: Name,
    every: Annotated[float, typer.Option(help="Seconds between two looks.")] = 1.0,
    count: Annotated[Optional[int], typer.Option(help="End after so many changes.")] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's net changes as they come, a line for each row; Ctrl-C ends it.

    Example: streamtables watch sales.daily
    """
    with opened(warehouse, registry) as st:
        print(f"Watching {name}", file=sys.stderr)
        for version, frame in islice(st.watch(name, every), count):
            for row in frame.toLocalIterator():
                values = row.asDict()
                weight = values.pop("_weight")
                if as_json:
                    line = json.dumps({"version": version, "weight": weight, **values}, default=str)
                else:
                    line = f"{version}  {weight:+}  " + ", ".join(map(shown, values.values()))
                print(line, flush=True)
