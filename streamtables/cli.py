"""The command line: one command per verb; parses and prints, decides nothing.

`list`, `status` and `history` read the registry and start no Spark.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from streamtables.errors import NotAStreamTable, StreamTablesError
from streamtables.model import Status, TableName
from streamtables.output import as_json_text, print_refreshes, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.api import StreamTables
    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable

app = typer.Typer(
    help="SQL views kept fresh as Delta tables by applying only what changed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Warehouse = Annotated[
    str,
    typer.Option(
        "--warehouse", "-w", envvar="STREAMTABLES_WAREHOUSE", help="The warehouse's folder."
    ),
]
RegistryUrl = Annotated[
    Optional[str],
    typer.Option("--registry", envvar="STREAMTABLES_REGISTRY", help="The registry's database URL."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The stream table, as schema.table or table.")]
HERE = "./warehouse"


@app.command()
def create(
    name: Name,
    query: Annotated[str, typer.Argument(help="The query, or - to read it from standard input.")],
    schedule: Annotated[
        Optional[str], typer.Option(help="'5m', a cron line, 'DOWNSTREAM', …")
    ] = None,
    refresh_mode: Annotated[str, typer.Option(help="AUTO, INCREMENTAL or FULL.")] = "AUTO",
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Make a stream table and fill it.

    Example: streamtables create sales.daily "SELECT day, sum(x) AS x FROM sales.orders GROUP BY day"
    """
    text = sys.stdin.read() if query == "-" else query
    with _opened(warehouse, registry) as st:
        print_refreshes([st.create_stream_table(name, text, schedule, refresh_mode)], as_json)


@app.command()
def alter(
    name: Name,
    query: Annotated[Optional[str], typer.Option(help="A new query.")] = None,
    schedule: Annotated[Optional[str], typer.Option(help="A new schedule.")] = None,
    refresh_mode: Annotated[Optional[str], typer.Option(help="A new mode.")] = None,
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Change a stream table's query, schedule or mode.

    Example: streamtables alter sales.daily --schedule 10m
    """
    given = {"query": query, "schedule": schedule, "refresh_mode": refresh_mode}
    with _opened(warehouse, registry) as st:
        done = st.alter_stream_table(name, **{key: value for key, value in given.items() if value})
        print_refreshes([done] if done else [], as_json)


@app.command()
def drop(name: Name, warehouse: Warehouse = HERE, registry: RegistryUrl = None) -> None:
    """Remove a stream table with its rows.

    Example: streamtables drop sales.daily
    """
    with _opened(warehouse, registry) as st:
        st.drop_stream_table(name)


@app.command()
def refresh(
    name: Annotated[
        Optional[str], typer.Argument(help="The stream table; all of them if left out.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Recompute it.")] = False,
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Refresh a stream table after those it reads, or all of them.

    Example: streamtables refresh sales.daily
    """
    with _opened(warehouse, registry) as st:
        print_refreshes([st.refresh(name, full=full)] if name else st.refresh_all(), as_json)


@app.command()
def explain(
    name: Name, warehouse: Warehouse = HERE, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Show what a refresh does, step by step, and why.

    Example: streamtables explain sales.daily
    """
    from streamtables.refresh.explain import explain as explained

    with _registry(warehouse, registry) as catalog:
        found = explained(_table(catalog, name))
    print(as_json_text(found) if as_json else found)


@app.command()
def verify(
    name: Name, warehouse: Warehouse = HERE, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Compare a stream table with its query, run in full; exit code 1 where they differ.

    Example: streamtables verify sales.daily
    """
    with _opened(warehouse, registry) as st:
        found = st.verify(name)
    print(as_json_text(found) if as_json else found)
    if not found:
        raise typer.Exit(1)


@app.command("list")
def list_(
    warehouse: Warehouse = HERE, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """List the stream tables.

    Example: streamtables list
    """
    with _registry(warehouse, registry) as catalog:
        rows = [
            {
                "name": str(table.name),
                "schedule": table.schedule,
                "refresh_mode": table.refresh_mode.value,
                "query": " ".join(table.query.split()),
            }
            for table in catalog.tables()
        ]
    print_rows(rows, as_json)


@app.command()
def status(
    warehouse: Warehouse = HERE, registry: RegistryUrl = None, as_json: AsJson = False
) -> None:
    """Show each stream table's state, last refresh and freshness.

    Example: streamtables status
    """
    from streamtables.catalog.status import status_rows

    with _registry(warehouse, registry) as catalog:
        print_rows(status_rows(catalog), as_json)


@app.command()
def history(
    name: Name,
    limit: Annotated[int, typer.Option(help="How many refreshes.")] = 20,
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's last refreshes, newest first.

    Example: streamtables history sales.daily --limit 5
    """
    with _registry(warehouse, registry) as catalog:
        print_refreshes(catalog.history(_table(catalog, name).id, limit), as_json)


@app.command()
def changes(
    name: Name,
    since: Annotated[int, typer.Option(help="The version of the table to start after.")],
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show a stream table's net change since one of its versions.

    Example: streamtables changes sales.daily --since 3
    """
    with _opened(warehouse, registry) as st:
        frame = st.changes(name, since)
        print_rows([row.asDict() for row in frame.collect()], as_json)


@app.command()
def pause(name: Name, warehouse: Warehouse = HERE, registry: RegistryUrl = None) -> None:
    """Keep the scheduler from refreshing a stream table.

    Example: streamtables pause sales.daily
    """
    with _registry(warehouse, registry) as catalog:
        catalog.update(replace(_table(catalog, name), status=Status.PAUSED))


@app.command()
def resume(name: Name, warehouse: Warehouse = HERE, registry: RegistryUrl = None) -> None:
    """Let the scheduler refresh a stream table again.

    Example: streamtables resume sales.daily
    """
    with _registry(warehouse, registry) as catalog:
        catalog.update(replace(_table(catalog, name), status=Status.ACTIVE, message=None))


@app.command()
def sql(
    text: Annotated[str, typer.Argument(help="One statement, ours or Spark's.")],
    warehouse: Warehouse = HERE,
    registry: RegistryUrl = None,
) -> None:
    """Run a SQL statement.

    Example: streamtables sql "CREATE STREAM TABLE t SCHEDULE '10s' AS SELECT 1 AS x"
    """
    with _opened(warehouse, registry) as st:
        answer = st.sql(text)
        if hasattr(answer, "show"):
            answer.show(truncate=False)
        elif answer is not None:
            print(answer)


@app.command("rebuild-registry")
def rebuild_registry(warehouse: Warehouse = HERE, registry: RegistryUrl = None) -> None:
    """Register the stream tables that the warehouse holds and the registry has lost.

    Example: streamtables rebuild-registry
    """
    with _opened(warehouse, registry) as st:
        for name in st.rebuild_registry():
            print(name)


def main() -> None:
    """Run the command line; an error of ours is one line on stderr and exit code 1."""
    try:
        app()
    except StreamTablesError as error:
        print(f"streamtables: {error}", file=sys.stderr)
        sys.exit(1)


@contextmanager
def _opened(warehouse: str, registry: str | None) -> Iterator[StreamTables]:
    """The stream tables of a warehouse, with a Spark session."""
    import streamtables

    spark = streamtables.create_session(warehouse)
    try:
        st = streamtables.StreamTables(spark, warehouse, registry=registry)
        yield st
        st.close()
    finally:
        spark.stop()


@contextmanager
def _registry(warehouse: str, registry: str | None) -> Iterator[Catalog]:
    """The registry of a warehouse, without Spark."""
    from streamtables.catalog.base import local_folder
    from streamtables.catalog.registry import Registry

    folder = local_folder(warehouse)
    if registry is None and folder is not None and not folder.exists():
        raise StreamTablesError(f"There is no warehouse {folder}", hint="Name it with --warehouse.")
    catalog = Registry.open(warehouse, registry)
    try:
        yield catalog
    finally:
        catalog.close()


def _table(catalog: Catalog, name: str) -> StreamTable:
    parsed = TableName.parse(name)
    full = parsed if len(parsed.parts) > 1 else TableName(("default", *parsed.parts))
    table = catalog.find(full)
    if table is None:
        known = ", ".join(str(other.name) for other in catalog.tables()) or "none"
        raise NotAStreamTable(f"There is no stream table {full}", hint=f"There are: {known}.")
    return table


if __name__ == "__main__":
    main()
