"""A project's files, read: `tables/*.sql`, each the declaration of one stream table.

A file holds `CREATE STREAM TABLE … AS query`, or the query alone under a header of comments:

    -- schedule: 5m
    -- refresh_mode: INCREMENTAL
    -- tags: daily, finance
    -- expect: positive (amount > 0) on mismatch drop
    SELECT …

Its path names the table: `tables/shop/by_country.sql` and `tables/shop.by_country.sql` are `shop.by_country`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from streamtables.checks import Check, checks_of
from streamtables.errors import InvalidProject, Place, StreamTablesError
from streamtables.model import RefreshMode, TableName
from streamtables.schedule import parse_schedule
from streamtables.sql.query import Query
from streamtables.sql.statements import parse_statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.checks import Expect

TABLES = "tables"

_KEYS = ("name", "schedule", "refresh_mode", "tags", "expect")
_REPEATED = "expect"
_HEADER = re.compile(r"\s*--[ \t]*([A-Za-z_-]+)[ \t]*:[ \t]*(.*)$", re.MULTILINE)
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True)
class Declared:
    """A stream table as a file declares it."""

    name: TableName
    query: str
    schedule: str | None
    refresh_mode: RefreshMode
    tags: tuple[str, ...]
    path: str
    begin: Place
    reads: tuple[TableName, ...] = ()
    checks: tuple[Check, ...] = ()

    def located(self, error: StreamTablesError) -> StreamTablesError:
        """An error of the query as an error of the file, if there is one, its place counted in the file."""
        if not self.path:
            return error
        place = error.place or Place(1, 1)
        column = place.column + (self.begin.column - 1 if place.line == 1 else 0)
        line = place.line + self.begin.line - 1
        where = f"{self.path}:{line}:{column}" if error.place else self.path
        return InvalidProject(f"{where}: {error.message}", hint=error.hint)


def read_project(folder: Path) -> list[Declared]:
    """Every declaration of a project, in the order of the files; the first that is none is an error."""
    root = folder / TABLES
    if not root.is_dir():
        raise InvalidProject(
            f"There is no folder {TABLES} in {folder}",
            hint="Make a project with `streamtables init`, or name one with --project.",
        )
    found: dict[str, Declared] = {}
    for path in sorted(root.rglob("*.sql")):
        shown = path.relative_to(folder).as_posix()
        one = read_file(path.read_text(encoding="utf-8"), shown)
        if one.name.key in found:
            raise InvalidProject(
                f"{one.path} and {found[one.name.key].path} both declare {one.name}",
                hint="Rename one, or remove it.",
            )
        found[one.name.key] = one
    return list(found.values())


def read_file(text: str, path: str) -> Declared:
    r"""The declaration that a file holds.

    >>> one = read_file("-- schedule: 5m\nSELECT x FROM shop.orders", "tables/shop/daily.sql")
    >>> str(one.name), one.schedule, one.reads[0].parts, str(one.begin)
    ('shop.daily', '5m', ('shop', 'orders'), 'line 2, column 1')
    """
    try:
        header = _header(text, path)
        statement = parse_statement(text)
        if statement is not None and statement.verb != "create_stream_table":
            raise InvalidProject(
                f"{path} holds another statement than CREATE STREAM TABLE",
                hint="Run other statements with `streamtables sql`.",
            )
        said = {**statement.arguments} if statement else {}
        if twice := sorted(said.keys() & header.keys()):
            raise InvalidProject(f"{path} says {twice[0]} twice", hint="Keep one of them.")
        said = {**header, **said}
        parse_schedule(_text(said, "schedule"))
        named = TableName.parse(_text(said, "name") or _name(path))
        mode = RefreshMode(str(said.get("refresh_mode") or "AUTO").upper())
        checks = checks_of(cast("Expect", said.get("expect")))
    except InvalidProject:
        raise
    except (StreamTablesError, ValueError) as error:
        hint = error.hint if isinstance(error, StreamTablesError) else None
        message = error.message if isinstance(error, StreamTablesError) else str(error)
        raise InvalidProject(f"{path}: {message.rstrip('.')}", hint=hint) from None
    whole = text.rstrip()
    query = str(said["query"]) if statement else whole[_COMMENTS.match(whole).end() :]  # type: ignore[union-attr]
    begin = len(whole) - len(query)
    tags = tuple(sorted({tag for tag in re.split(r"[,\s]+", _text(said, "tags") or "") if tag}))
    return _with_reads(
        Declared(
            name=named.with_schema,
            query=query.rstrip().rstrip(";").rstrip(),
            schedule=_text(said, "schedule"),
            refresh_mode=mode,
            tags=tags,
            path=path,
            checks=checks,
            begin=Place(text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)),
        )
    )


def _with_reads(declared: Declared) -> Declared:
    try:
        names = Query.parse(declared.query).names
    except StreamTablesError as error:
        raise declared.located(error) from None
    return replace(declared, reads=tuple(dict.fromkeys(name.with_schema for name in names)))


def _header(text: str, path: str) -> dict[str, object]:
    """What the comments above the query say; prose with a colon in it is left alone."""
    comments = _COMMENTS.match(text)
    found: dict[str, object] = {}
    checks: list[Check] = []
    for key, value in _HEADER.findall(comments[0] if comments else ""):
        name = key.lower().replace("-", "_")
        if name == _REPEATED:
            found[name] = checks
            checks.append(Check.parse(value))
        elif name in found:
            raise InvalidProject(f"{path} says {name} twice", hint="Keep one of them.")
        elif name in _KEYS:
            found[name] = value.strip().strip("'\"")
        elif near := difflib.get_close_matches(name, _KEYS, 1, cutoff=0.8):
            raise InvalidProject(
                f"{path}: a header has no key {key!r}", hint=f"Did you mean {near[0]}?"
            )
    return found


def _text(said: Mapping[str, object], key: str) -> str | None:
    value = said.get(key)
    return None if value is None or value == "" else str(value)


def _name(path: str) -> str:
    """The table that a file's path names."""
    parts = [*Path(path).parts[1:-1], *Path(path).stem.split(".")]
    return TableName(tuple(parts)).quoted
