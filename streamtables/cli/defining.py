"""Making, changing and removing stream tables."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Optional

import typer

from streamtables.cli.opening import opened
from streamtables.cli.options import AsJson, Expect, Name, RegistryUrl, Schedule, Warehouse
from streamtables.output import print_refreshes, print_rows, working


def create(
    name: Name,
    query: Annotated[str, typer.Argument(help="The query, or - to read it from standard input.")],
    schedule: Schedule = None,
    refresh_mode: Annotated[str, typer.Option(help="AUTO, INCREMENTAL or FULL.")] = "AUTO",
    expect: Expect = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Make a stream table and fill it.

    Example: streamtables create sales.daily "SELECT day, sum(x) AS x FROM sales.orders GROUP BY day"
    """
    text = sys.stdin.read() if query == "-" else query
    with opened(warehouse, registry) as st:
        with working(f"Filling {name}"):
            done = st.create_stream_table(name, text, schedule, refresh_mode, _given(expect))
        print_refreshes([done], as_json)


def alter(  # noqa: PLR0913, PLR0917 the options of a command
    name: Name,
    query: Annotated[Optional[str], typer.Option(help="A new query.")] = None,
    schedule: Annotated[
        Optional[str], typer.Option(help="A new schedule; '' to refresh it by hand.")
    ] = None,
    refresh_mode: Annotated[Optional[str], typer.Option(help="A new mode.")] = None,
    expect: Expect = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show what it would do, also to what reads it.")
    ] = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Change a stream table's query, schedule, mode or checks; shows first what a new query does to what reads it.

    Example: streamtables alter sales.daily --schedule 10m
    """
    asked = {"query": query, "schedule": schedule, "refresh_mode": refresh_mode}
    given: dict[str, Any] = {k: v or None for k, v in asked.items() if v is not None}
    if expect:
        given["expect"] = _given(expect)
    with opened(warehouse, registry) as st:
        if preview:
            print_rows(st.preview_alter(name, **given), as_json)
            return
        if query and not as_json:
            rows = st.preview_alter(name, **given)
            print_rows(rows if len(rows) > 1 else ())
        with working(f"Altering {name}"):
            done = st.alter_stream_table(name, **given)
        print_refreshes([done] if done else [], as_json)


def drop(
    name: Name,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Remove those that read it, too.")
    ] = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
) -> None:
    """Remove a stream table with its rows.

    Example: streamtables drop sales.daily
    """
    with opened(warehouse, registry) as st:
        st.drop_stream_table(name, cascade)


def rebuild_registry(warehouse: Warehouse = None, registry: RegistryUrl = None) -> None:
    """Register the stream tables that the warehouse holds and the registry has lost.

    Example: streamtables rebuild-registry
    """
    with opened(warehouse, registry) as st:
        for name in st.rebuild_registry():
            print(name)


def _given(expect: list[str] | None) -> list[str]:
    return [text for text in expect or () if text]
