"""The arguments and options that several commands have, each said once."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

Name = Annotated[str, typer.Argument(help="The stream table, as schema.table or table.")]
Warehouse = Annotated[
    Optional[str],
    typer.Option(
        "--warehouse",
        "-w",
        envvar="STREAMTABLES_WAREHOUSE",
        help="The warehouse's folder; ./warehouse if left out.",
    ),
]
RegistryUrl = Annotated[
    Optional[str],
    typer.Option("--registry", envvar="STREAMTABLES_REGISTRY", help="The registry's database URL."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Schedule = Annotated[Optional[str], typer.Option(help="'5m', a cron line, 'DOWNSTREAM', …")]
Expect = Annotated[
    Optional[list[str]],
    typer.Option(help="A data check, 'name (condition) ON MISMATCH WARN|DROP|FAIL'; '' for none."),
]
