"""Every error a user can meet: what happened, where in the SQL, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a query's text, counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class StreamTablesError(Exception):
    """An error of streamtables: what happened, where, and the way out."""

    def __init__(
        self, message: str, *, place: Place | None = None, hint: str | None = None
    ) -> None:
        self.message = message
        self.place = place
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.message}{where}.{hint}"


def nearest(word: str, known: Iterable[str], otherwise: str) -> str:
    """A hint: the known name that a word is nearly, and not itself, or else something to say.

    >>> nearest("AMUONT", ["id", "amount"], "Check the spelling.")
    'Did you mean amount?'
    """
    from difflib import get_close_matches

    names = {name.lower(): name for name in known if name.lower() != word.lower()}
    near = get_close_matches(word.lower(), names, 1, cutoff=0.75)
    return f"Did you mean {names[near[0]]}?" if near else otherwise


def first_line(error: object) -> str:
    """What an error of somebody else's says first: Spark's fill a screen."""
    return str(error).strip().split("\n")[0]


class InvalidQuery(StreamTablesError):
    """The text is not one query: empty, misspelt, or more than one statement."""


class UnknownTable(StreamTablesError):
    """The query reads a table that is not there."""


class UnknownColumn(StreamTablesError):
    """The query names a column that its sources do not have."""


class RepeatedColumn(StreamTablesError):
    """Two columns of the query's answer have one name."""


class UnsupportedQuery(StreamTablesError):
    """The query cannot be maintained as asked."""

    def __init__(
        self, reason: str, message: str, *, place: Place | None = None, hint: str | None = None
    ) -> None:
        self.reason = reason
        super().__init__(message, place=place, hint=hint)


class InvalidName(StreamTablesError):
    """The text does not name a table."""


class InvalidSchedule(StreamTablesError):
    """The text is not a schedule."""


class InvalidSettings(StreamTablesError):
    """A setting that is none, or has a value it cannot have."""


class InvalidProject(StreamTablesError):
    """A project's file does not declare a stream table, or a selection names none."""


class NameTaken(StreamTablesError):
    """A table of that name exists."""


class NotAStreamTable(StreamTablesError):
    """No stream table has that name."""


class CycleFound(StreamTablesError):
    """A stream table would read, through others, itself."""


class InUse(StreamTablesError):
    """Other stream tables read the table that is to go."""


class SourceChanged(StreamTablesError):
    """A source is no longer what the stream table was made from."""


class NegativeCount(StreamTablesError):
    """A change removes a row that is not there: proof of a fault, so nothing is written."""


class InvalidCheck(StreamTablesError):
    """A data check that says nothing of a row, or whose name or action is none."""


class CheckFailed(StreamTablesError):
    """Rows fail a data check that lets none pass."""

    def __init__(
        self, message: str, *, measures: Mapping[str, float], hint: str | None = None
    ) -> None:
        self.measures = measures
        super().__init__(message, hint=hint)


class FuseBlown(StreamTablesError):
    """A change is above the share of the table that the settings let pass unasked."""


class Busy(StreamTablesError):
    """Another process holds the table and did not let go in time."""


class CommitLost(StreamTablesError):
    """Another process committed the same refresh first."""


class RegistryUnreachable(StreamTablesError):
    """The registry's database cannot be opened or is of another version."""


class NoWarehouse(StreamTablesError):
    """Nothing lies where the warehouse should."""


class SessionLacks(StreamTablesError):
    """The Spark session lacks something the work needs."""


class JavaMissing(StreamTablesError):
    """No usable Java was found."""


class PackageConflict(StreamTablesError):
    """A package is installed that this one cannot work beside."""
