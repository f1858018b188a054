"""What is typed at the prompt, as commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sqlglot import TokenType

from streamtables.errors import InvalidQuery
from streamtables.model import TableName
from streamtables.sql.dialect import Exact
from streamtables.sql.split import split_statements

Kind = Literal["change", "commit", "rollback", "pending", "help", "quit", "verb", "sql"]

_NAME = r"(?:`(?:[^`]|``)+`|\w+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|\w+))*"
_WORDS: dict[str, Kind] = {
    "commit": "commit",
    "rollback": "rollback",
    "pending": "pending",
    "help": "help",
    "quit": "quit",
    "exit": "quit",
}
_CHANGES = {"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE"}
_TARGET = re.compile(
    rf"\b(?:INSERT\s+(?:INTO|OVERWRITE)(?:\s+TABLE)?|DELETE\s+FROM|UPDATE|MERGE(?:\s+WITH\s+SCHEMA\s+EVOLUTION)?"
    rf"\s+INTO|TRUNCATE\s+TABLE)\s+({_NAME})",
    re.IGNORECASE,
)
# A verb and a name, without the words of SQL around them: its method in the API.
VERBS = {
    "list": "list",
    "status": "status",
    "refresh": "refresh",
    "history": "history",
    "explain": "explain",
    "verify": "verify",
    "changes": "changes",
    "pause": "pause",
    "resume": "resume",
    "reinitialize": "reinitialize",
    "lineage": "lineage",
    "doctor": "doctor",
}
_ALONE = {
    "list": "list",
    "status": "status",
    "refresh": "refresh_all",
    "lineage": "lineage",
    "doctor": "doctor",
}
_VERB = re.compile(rf"({'|'.join(VERBS)})(?:\s+({_NAME}))?", re.IGNORECASE)


@dataclass(frozen=True)
class Command:
    """One thing to do: `text` is a statement; of a verb, its method, with the table in `name`."""

    kind: Kind
    text: str = ""
    name: str | None = None


def read_commands(text: str) -> tuple[list[Command], str]:
    """The commands of a text that are complete, and the rest: it waits for its semicolon.

    >>> commands, rest = read_commands("INSERT INTO t VALUES (1); status; SELECT")
    >>> [(command.kind, command.name) for command in commands], rest
    ([('change', 't'), ('verb', None)], 'SELECT')
    """
    try:
        statements, rest = split_statements(text)
    except InvalidQuery:
        return [], text  # a string or a comment is still open
    commands = [_word(statement) or _statement(statement) for statement in statements]
    if last := _word(rest):
        return [*commands, last], ""
    return commands, rest


def read_whole(text: str) -> list[Command]:
    """The commands of a whole text, whose last statement needs no semicolon."""
    commands, rest = read_commands(text)
    return [*commands, _statement(rest)] if rest else commands


def _word(text: str) -> Command | None:
    """A command that needs no semicolon."""
    if kind := _WORDS.get(text.lower()):
        return Command(kind)
    found = _VERB.fullmatch(text)
    if found is None:
        return None
    verb, name = found[1].lower(), found[2]
    if name is None:
        return Command("verb", _ALONE[verb]) if verb in _ALONE else None
    if verb in ("list", "status", "doctor"):
        return None
    return Command("verb", VERBS[verb], str(TableName.parse(name)))


def _statement(text: str) -> Command:
    found = _TARGET.search(text)
    if found and _is_change(text):
        return Command("change", text, str(TableName.parse(found[1])))
    return Command("sql", text)


def _is_change(text: str) -> bool:
    """Whether a statement changes rows: it begins so, or does so after a WITH."""
    depth = 0
    for number, token in enumerate(Exact().tokenize(text)):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 and token.text.upper() in _CHANGES:
            return True
        if number == 0 and token.text.upper() != "WITH":
            return False
    return False
