"""The verbs as SQL: CREATE STREAM TABLE and its kin, told apart from SQL that is Spark's own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamtables.checks import CLAUSE, Check
from streamtables.errors import InvalidQuery
from streamtables.model import RefreshMode, TableName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import StreamTable

_NAME = r"(?P<name>(?:`(?:[^`]|``)+`|\w+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|\w+))*)"
_CHECK = rf"(?:EXPECT\s+NULL\b|{CLAUSE})"
_OPTIONS = rf"(?P<options>(?:\s+(?:SCHEDULE\s+(?:'[^']*'|NULL)|REFRESH_MODE\s+'?\w+'?|{_CHECK}))*)"
# A check is met first: its condition may hold any word.
_OPTION = re.compile(
    rf"(?P<check>{_CHECK})|(SCHEDULE|REFRESH_MODE)\s+(?:'([^']*)'|(\w+))",
    re.IGNORECASE | re.DOTALL,
)
_END = r"\s*;?\s*$"
_ALTER = rf"ALTER\s+STREAM\s+TABLE\s+{_NAME}(?:\s+SET)?{_OPTIONS}(?:\s+AS\b(?P<query>.*))?$"

# Verb: the form of its statement.
_FORMS = {
    "create_stream_table": rf"CREATE\s+STREAM\s+TABLE\s+(?P<quiet>IF\s+NOT\s+EXISTS\s+)?{_NAME}{_OPTIONS}"
    r"\s+AS\b(?P<query>.*)$",
    "alter_stream_table": _ALTER,
    "preview_alter": rf"PREVIEW\s+{_ALTER}",
    "drop_stream_table": rf"DROP\s+STREAM\s+TABLE\s+(?P<quiet>IF\s+EXISTS\s+)?{_NAME}(?P<cascade>\s+CASCADE)?{_END}",
    "refresh": rf"REFRESH\s+STREAM\s+TABLE\s+{_NAME}(?P<full>\s+FULL)?{_END}",
    "refresh_all": rf"REFRESH\s+STREAM\s+TABLES{_END}",
    "reinitialize": rf"REINITIALIZE\s+STREAM\s+TABLE\s+{_NAME}{_END}",
    "compact": rf"COMPACT\s+STREAM\s+TABLE(?:S|\s+{_NAME}){_END}",
    "pause": rf"PAUSE\s+STREAM\s+TABLE\s+{_NAME}{_END}",
    "resume": rf"RESUME\s+STREAM\s+TABLE\s+{_NAME}{_END}",
    "explain": rf"EXPLAIN\s+STREAM\s+TABLE\s+{_NAME}{_END}",
    "verify": rf"VERIFY\s+STREAM\s+TABLE\s+{_NAME}{_END}",
    "changes": rf"SHOW\s+CHANGES\s+(?:OF|FOR)\s+STREAM\s+TABLE\s+{_NAME}"
    rf"(?:\s+SINCE\s+(?P<since>\d+))?(?:\s+UNTIL\s+(?P<until>\d+))?{_END}",
    "history": rf"SHOW\s+HISTORY\s+(?:OF|FOR)\s+STREAM\s+TABLE\s+{_NAME}(?:\s+LIMIT\s+(?P<limit>\d+))?{_END}",
    "status": rf"SHOW\s+STREAM\s+TABLES{_END}",
}
_COMPILED = {verb: re.compile(form, re.IGNORECASE | re.DOTALL) for verb, form in _FORMS.items()}
_OURS = re.compile(
    r"\w+\s+(?:ALTER\s+|(?:HISTORY|CHANGES)\s+\w+\s+)?STREAM\s+TABLES?\b", re.IGNORECASE
)
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True)
class Statement:
    """A verb of the API and its arguments."""

    verb: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    is_quiet: bool = False  # IF EXISTS, IF NOT EXISTS


def parse_statement(text: str) -> Statement | None:
    """The verb that a statement calls; None for SQL that is not about stream tables.

    >>> parse_statement("REFRESH STREAM TABLE sales.daily").arguments
    {'name': 'sales.daily'}
    >>> parse_statement("SELECT 1") is None
    True
    """
    body = text[_COMMENTS.match(text).end() :]  # type: ignore[union-attr]
    for verb, form in _COMPILED.items():
        if found := form.match(body):
            return _statement(verb, found)
    if _OURS.match(body):
        raise InvalidQuery(
            f"The statement is not one of streamtables: {body.splitlines()[0].strip()}",
            hint="For example: CREATE STREAM TABLE name SCHEDULE '5m' REFRESH_MODE AUTO AS SELECT …",
        )
    return None


def creation(table: StreamTable) -> str:
    """The statement that makes a stream table."""
    schedule = f" SCHEDULE '{table.schedule}'" if table.schedule else ""
    is_default = table.refresh_mode is RefreshMode.AUTO
    mode = "" if is_default else f" REFRESH_MODE {table.refresh_mode.value}"
    checks = "".join(f"\nEXPECT {check}" for check in table.checks)
    return f"CREATE STREAM TABLE {table.name}{schedule}{mode}{checks} AS\n{table.query.strip()}"


def _statement(verb: str, found: re.Match[str]) -> Statement:
    parts = found.groupdict()
    arguments: dict[str, object] = {}
    if name := parts.get("name"):
        arguments["name"] = str(TableName.parse(name))
    if (query := parts.get("query")) is not None:
        arguments["query"] = query.strip()
    checks: list[Check] = []
    for check, option, quoted, word in _OPTION.findall(parts.get("options") or ""):
        if check:
            arguments["expect"] = checks
            checks += [] if check.split()[1].upper() == "NULL" else [Check.parse(check)]
            continue
        value = None if word.upper() == "NULL" else (quoted or word)
        arguments[option.lower()] = (
            value.upper() if value and option.upper() == "REFRESH_MODE" else value
        )
    arguments |= {word: True for word in ("full", "cascade") if parts.get(word)}
    for number in ("since", "until", "limit"):
        if parts.get(number):
            arguments[number] = int(parts[number])
    return Statement(verb, arguments, is_quiet=bool(parts.get("quiet")))
