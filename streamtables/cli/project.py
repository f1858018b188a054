"""A project of SQL files: make one, see what applying it would do, apply it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from streamtables.cli.opening import opened, opened_registry, reading
from streamtables.cli.options import AsJson, RegistryUrl, Warehouse
from streamtables.config import PROJECT, find_project
from streamtables.errors import InvalidProject, NoWarehouse
from streamtables.output import as_json_text, print_rows, working

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.api import StreamTables
    from streamtables.project.steps import ProjectPlan

Select = Annotated[
    Optional[str],
    typer.Option(
        help="Only these tables: names, tag:x, path:x; + before or after for their neighbours."
    ),
]
Drop = Annotated[
    bool, typer.Option("--drop", help="Drop tables that the files declared once, and do no more.")
]


def init(
    folder: Annotated[Path, typer.Argument(help="Where the project is to be.")] = Path(),
) -> None:
    """Make a project: settings, two stream tables, a test, and a table for them to read.

    Example: streamtables init shop
    """
    from streamtables.project.sample import make_project

    for name in make_project(folder):
        print(folder / name)


def plan(
    select: Select = None,
    drop: Drop = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if there is work.")] = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show what applying the project would do to each table, and why.

    Example: streamtables plan --select "+shop.best tag:finance"
    """
    with ExitStack() as stack:
        st = cache(lambda: stack.enter_context(opened(warehouse, registry)))
        found = _planned(select, drop, (warehouse, registry), st)
    print_rows([step.row for step in found.steps], as_json)
    if found.refused or (check and found.to_do):
        raise typer.Exit(1)


def apply(
    select: Select = None,
    drop: Drop = False,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    as_json: AsJson = False,
) -> None:
    """Make the stream tables as the project's files say; each is changed whole or not at all.

    Example: streamtables apply --select tag:finance
    """
    from streamtables.project.apply import apply_plan, require_sound
    from streamtables.project.owning import take_on

    with ExitStack() as stack:
        st = cache(lambda: stack.enter_context(opened(warehouse, registry)))
        found = _planned(select, drop, (warehouse, registry), st)
        rows: list[dict[str, object]] = []
        count = len(found.to_do)
        require_sound(found)
        if count:
            done = apply_plan(found, st())
            for number, planned in enumerate(found.to_do, 1):
                with working(f"{number} of {count}: {planned.step.value} {planned.name}"):
                    row = next(done).row
                rows.append(row)
                if not as_json:
                    print(_line(row, number, count), flush=True)
        if found.steps:
            with opened_registry(warehouse, registry) as catalog:
                take_on(found, catalog, _folder())
    if as_json:
        print(as_json_text(rows))
    elif not count:
        print(f"Nothing to do: {len(found.steps)} tables are as the files say.")
    if any(row["outcome"] != "done" for row in rows):
        raise typer.Exit(1)


def _planned(
    terms: str | None,
    drop: bool,
    where: tuple[str | None, str | None],
    st: Callable[[], StreamTables],
) -> ProjectPlan:
    """The plan of the project around the working directory; Spark is started if something is new."""
    from streamtables.project.owning import owned
    from streamtables.project.plan import plan_folder

    folder = _folder()
    try:
        with reading(*where) as catalog:
            tables, filled, own = (
                catalog.tables(),
                set(catalog.frontiers()),
                owned(catalog, folder),
            )
    except NoWarehouse:
        tables, filled, own = [], set(), set()
    return plan_folder(folder, tables, filled, lambda: st().engine, terms, drop=drop, owned=own)


def _folder() -> Path:
    """The project that one is in."""
    folder = find_project(Path.cwd())
    if folder is None:
        raise InvalidProject(
            f"There is no {PROJECT} in {Path.cwd()} or above",
            hint="Make a project with `streamtables init`, or change into one.",
        )
    return folder


def _line(row: dict[str, object], number: int, count: int) -> str:
    """What became of one step, on a line."""
    words = f"{number}/{count}  {row['action']:<11}  {row['name']}  {row['outcome']}"
    if row["seconds"] is not None:
        words += f"  +{row['rows_inserted']} -{row['rows_deleted']}  {row['seconds']:.1f} s"
    return f"{words}: {row['error']}" if row["error"] else words
