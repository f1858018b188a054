"""The prompt on a terminal: history, completion, and an error that ends nothing."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from streamtables.catalog.base import PRIVATE
from streamtables.cli.opening import opened
from streamtables.cli.options import RegistryUrl, Warehouse
from streamtables.errors import StreamTablesError
from streamtables.output import one_line, print_answer, print_error, working

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.shell.grammar import Command
    from streamtables.shell.prompt import Conversation


def shell(warehouse: Warehouse = None, registry: RegistryUrl = None) -> None:
    """Talk to the warehouse: SQL, the verbs, and changes that COMMIT applies as one.

    Example: streamtables shell
    """
    from streamtables.shell.grammar import read_whole
    from streamtables.shell.prompt import Conversation

    with opened(warehouse, registry) as st:
        talk = Conversation(st, print, print_answer, partial(working, "Running"))
        if not sys.stdin.isatty():
            all(talk.take(command) for command in read_whole(sys.stdin.read()))
        else:
            print("Statements end with a semicolon; `help` lists what there is.")
            all(_taken(talk, command) for command in _typed(talk, st.warehouse))
        if talk.pending_count:
            print(f"{talk.pending_count} statements were not committed.", file=sys.stderr)
            raise typer.Exit(1)


def _taken(talk: Conversation, command: Command) -> bool:
    """Do a command and go on after whatever went wrong in it."""
    try:
        return talk.take(command)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
    except StreamTablesError as error:
        print_error(error)
    except Exception as error:  # noqa: BLE001  whatever Spark says, the prompt stays
        print_error(one_line(error))
    return True


def _typed(talk: Conversation, warehouse: str) -> Iterator[Command]:
    """Commands as they are typed, until Ctrl-D."""
    from streamtables.shell.grammar import read_commands

    session, text = _session(talk, warehouse), ""
    while True:
        waiting = f" ({talk.pending_count})" if talk.pending_count else ""
        try:
            line = session.prompt("... " if text else f"streamtables{waiting}> ")
        except KeyboardInterrupt:  # as in every shell: forget the line
            text = ""
            continue
        except EOFError:
            return
        commands, text = read_commands(f"{text}\n{line}" if text else line)
        yield from commands


def _session(talk: Conversation, warehouse: str) -> Any:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    from streamtables.catalog.base import local_folder

    folder = local_folder(warehouse)
    return PromptSession(
        history=FileHistory(str(folder / PRIVATE / "shell_history")) if folder else None,
        completer=WordCompleter(talk.words, ignore_case=True, WORD=True),
        complete_while_typing=False,
    )
