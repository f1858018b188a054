"""The list of verbs, and the way in and out of the program."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from streamtables.cli import (
    checking,
    defining,
    looking,
    project,
    refreshing,
    running,
    sharing,
    shell,
    statements,
    testing,
)
from streamtables.errors import StreamTablesError
from streamtables.output import one_line, print_error

if TYPE_CHECKING:
    from collections.abc import Callable

# Heading of the help: its commands, each the function of its name.
VERBS: dict[str, tuple[Callable[..., None], ...]] = {
    "Project": (project.init, project.plan, project.apply),
    "Define": (defining.create, defining.alter, defining.drop),
    "Refresh": (
        refreshing.refresh,
        refreshing.reinitialize,
        refreshing.pause,
        refreshing.resume,
        running.run,
    ),
    "Look": (looking.list_, looking.status, looking.history, looking.explain),
    "Check": (checking.verify, checking.changes, checking.watch, checking.doctor, testing.test),
    "Share": (sharing.lineage, sharing.export, sharing.page),
    "SQL": (statements.sql, shell.shell),
    "Upkeep": (refreshing.compact, defining.rebuild_registry),
}


def command_name(command: Callable[..., None]) -> str:
    """What a command is called on the command line."""
    return command.__name__.rstrip("_").replace("_", "-")


def summary(command: Callable[..., None]) -> str:
    """What a command does, in a sentence."""
    return (command.__doc__ or "").strip().splitlines()[0]


class Headed(TyperGroup):
    """The program's help: the verbs under their headings, in plain text. Rich would take half a second to import."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The verbs, by heading."""
        width = max(map(len, self.commands))
        for heading, verbs in VERBS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(command_name(verb).ljust(width), summary(verb)) for verb in verbs]
                )


app = typer.Typer(
    cls=Headed,
    rich_markup_mode=None,
    help="SQL views kept fresh as Delta tables by applying only what changed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _everywhere(
    debug: Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")] = False,
) -> None:
    """SQL views kept fresh as Delta tables by applying only what changed."""


for _commands in VERBS.values():
    for _command in _commands:
        app.command(command_name(_command))(_command)


def main() -> None:
    """Run the command line; an error is one line on stderr and exit code 1."""
    arguments = sys.argv[1:]
    is_debug = "--debug" in arguments  # wherever it stands on the line
    # It warns of statements that it cannot read; the error that follows says so, too.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        app([argument for argument in arguments if argument != "--debug"])
    except StreamTablesError as error:
        if is_debug:
            raise
        print_error(error)
        sys.exit(1)
    except Exception as error:
        if is_debug:
            raise
        print_error(one_line(error))
        sys.exit(1)
