"""Running the tests of a project: pytest with our plug-in, for those who do not know pytest."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Optional

import typer

from streamtables.errors import StreamTablesError


def test(
    paths: Annotated[
        Optional[list[Path]], typer.Argument(help="Files or folders; tests/ if left out.")
    ] = None,
    lane: Annotated[str, typer.Option(help="auto, duckdb or spark.")] = "auto",
    record: Annotated[
        bool, typer.Option("--record", help="Write what came of it as what is expected.")
    ] = False,
    only: Annotated[
        Optional[str], typer.Option("--only", "-k", help="Only tests with this in their name.")
    ] = None,
) -> None:
    """Run tests written as files of SQL (and pytest's own); exit code 1 where one fails.

    Example: streamtables test tests/shop --lane spark
    """
    if find_spec("pytest") is None:
        raise StreamTablesError(
            "Tests are run by pytest, which is missing",
            hint="Install it: pip install 'streamtables[test]'.",
        )
    import pytest

    chosen = [str(path) for path in paths or [Path("tests")]]
    for path in chosen:
        if not Path(path).exists():
            raise StreamTablesError(f"There is no {path}", hint="Name a file or a folder of tests.")
    options = [
        "--st-lane",
        lane,
        *(["--st-record"] if record else []),
        *(["-k", only] if only else []),
    ]
    found = pytest.main([*chosen, *options])
    if found == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise StreamTablesError(
            f"There is no test in {', '.join(chosen)}",
            hint="A case is a file of SQL with `-- title:` and `-- stream:`.",
        )
    if found:
        raise typer.Exit(1)
