"""Case files: SQL that says what must hold of a query while its sources change. sql/README.md has the format."""

from __future__ import annotations

import difflib
import re
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from streamtables.errors import InvalidQuery
from streamtables.model import Column, Source, SourceKind, TableName
from streamtables.project.files import read_file as read_declaration
from streamtables.sql.split import split_statements
from streamtables.testing.told import CaseError, told_change, told_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streamtables.testing.bags import Row

WORDS = ("title", "lane", "stream", "of", "error", "change", "expect", "answer")
MODES = ("incremental", "full", "refused")
_DIRECTIVE = re.compile(rf"^--\s*({'|'.join(WORDS)})\s*:\s*(.*)$", re.IGNORECASE)
_COLON = re.compile(r"^--\s*(\w+)\s*:")


@dataclass(frozen=True)
class Step:
    """Statements that land in one refresh, and what must come of them."""

    line: int
    words: str
    statements: tuple[str, ...] = ()
    expect: Counter[Row] | None = None
    answer: Counter[Row] | None = None


@dataclass(frozen=True)
class Case:
    """One query over tables that change."""

    path: Path
    line: int
    title: str
    setup: tuple[str, ...] = ()
    mode: str = ""
    reason: str = ""
    query: str = ""
    answer: Counter[Row] | None = None
    steps: tuple[Step, ...] = ()
    error: str = ""
    lane: str = ""

    @property
    def id(self) -> str:
        """What the case is called in test reports."""
        words = re.sub(r"\W+", "-", self.title).strip("-")
        return f"{self.path.parent.name}/{self.path.stem}/{words}"

    @property
    def number(self) -> int:
        """A number that stays the same as long as the case's name does."""
        return zlib.crc32(self.id.encode())

    @property
    def sources(self) -> tuple[Source, ...]:
        """The tables that the setup creates."""
        return tuple(source for text in self.setup for source in created(text))

    @property
    def schemas(self) -> tuple[tuple[str, ...], ...]:
        """The schemas that the names of these tables tell."""
        told = [source.name.parts[:-1] for source in self.sources]
        return tuple(dict.fromkeys(parts for parts in told if parts))


def read_cases(folder: Path) -> list[Case]:
    """Every case of every file, in the order of the files."""
    return [case for path in sorted(folder.rglob("*.sql")) for case in read_file(path)]


def read_file(path: Path) -> list[Case]:
    """The cases of one file."""
    cases: list[Case] = []
    for line, word, rest, body in _blocks(path):
        try:
            if word == "title":
                cases.append(Case(path, line, rest, _statements(body)))
            else:
                cases[-1] = _with(cases[-1], line, word, rest, body)
        except (CaseError, ValueError) as error:
            raise CaseError(f"{path}:{line}: {error}") from error
    for case in cases:
        if sum(other.title == case.title for other in cases) > 1:
            raise CaseError(f"{path}:{case.line}: another case has this title")
        if not case.mode:
            raise CaseError(f"{path}:{case.line}: the case has no `-- stream:`")
    return cases


def created(text: str) -> Iterator[Source]:
    """The table that a CREATE TABLE statement makes, with its columns."""
    tree = sqlglot.parse_one(text, read="spark")
    if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
        parts = tuple(part.name for part in tree.this.this.parts)
        found = [part for part in tree.this.expressions if not isinstance(part, exp.Constraint)]
        if bare := [part.name for part in found if not part.args.get("kind")]:
            raise CaseError(f"column {bare[0]} has no type: {text}")
        columns = tuple(Column(part.name, part.args["kind"].sql("spark").lower()) for part in found)
        yield Source(TableName(parts), SourceKind.DELTA, columns)


def _with(case: Case, line: int, word: str, rest: str, body: str) -> Case:
    """The case with one more directive taken in."""
    if word == "lane":
        case = replace(case, lane=rest)
    elif word == "stream":
        mode, _, reason = rest.partition(" ")
        if mode.lower() not in MODES:
            raise CaseError(f"unknown mode {mode}: write {', '.join(MODES)}")
        return replace(case, mode=mode.lower(), reason=reason.strip(), query=body.strip())
    elif word == "of":
        case = replace(case, query=_declared(case.path, rest))
    elif word == "error":
        case = replace(case, error=rest)
    elif word == "change":
        return replace(case, steps=(*case.steps, Step(line, rest, _statements(body))))
    elif case.steps:
        last = _told(case.steps[-1], word, rest)
        case = replace(case, steps=(*case.steps[:-1], last))
    elif word == "answer":
        case = replace(case, answer=(case.answer or Counter()) + told_rows(rest))
    else:
        raise CaseError("`-- expect:` comes after a change")
    return replace(case, setup=(*case.setup, *_statements(body)))


def _declared(case: Path, path: str) -> str:
    """The query of a project's file; its path is told from the project's folder, which is above the case."""
    for folder in case.absolute().parents:
        if (folder / path).is_file():
            return read_declaration((folder / path).read_text(encoding="utf-8"), path).query
    raise CaseError(f"no folder above has {path}")


def _told(step: Step, word: str, rest: str) -> Step:
    if word == "answer":
        return replace(step, answer=(step.answer or Counter()) + told_rows(rest))
    expect = Counter(step.expect or {})
    for row, weight in told_change(rest).items():
        expect[row] += weight
    return replace(step, expect=expect)


def _blocks(path: Path) -> Iterator[tuple[int, str, str, str]]:
    """Each directive with its line and the text up to the next; a first case without a title has the file's name."""
    found: list[tuple[int, str, str, list[str]]] = [(1, "title", path.stem, [])]
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if match := _DIRECTIVE.match(line):
            found.append((number, match[1].lower(), match[2].strip(), []))
        elif near := _misspelt(line):
            raise CaseError(f"{path}:{number}: `{line.strip()}` means nothing: write `-- {near}:`?")
        else:
            found[-1][3].append(line)
    if len(found) == 1 or found[1][1] == "title":
        del found[0]
    return ((number, word, rest, "\n".join(body)) for number, word, rest, body in found)


def _misspelt(line: str) -> str | None:
    """The word of the format that a comment has nearly: passing over it would pass over what it tells."""
    found = _COLON.match(line)
    near = difflib.get_close_matches(found[1].lower(), WORDS, 1, cutoff=0.8) if found else []
    return near[0] if near else None


def _statements(text: str) -> tuple[str, ...]:
    """The statements of a text, with semicolons between them."""
    try:
        statements, rest = split_statements(text)
    except InvalidQuery as error:
        raise CaseError(error.message) from None
    return tuple(filter(None, (*statements, rest)))
