r"""Data checks: what every row of a stream table shall satisfy, and what happens to one that does not.

    WARN   it is kept, and counted
    DROP   it is left out, and counted: the table is SELECT * FROM (query) WHERE condition, as incremental as the query
    FAIL   nothing is written: the refresh fails, and names the check with some of the rows

A row passes where the condition is true: false and NULL fail, as in WHERE. A refresh that recomputes looks at all rows,
an incremental one at those that come.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from streamtables.errors import CheckFailed, InvalidCheck

MEASURE = "rows_failing."
"""Before the name of a check among the measures of a refresh."""

MOST_EXAMPLES = 3
"""So many rows that fail a check are told."""

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
_NAME = r"(?:`(?:[^`]|``)+`|\w+)"
# Spark's own parser is met first where parentheses go deeper.
_DEPTH = 12


def _parentheses(depth: int) -> str:
    inner = f"|{_parentheses(depth - 1)}" if depth else ""
    return rf"\((?:[^()'\"`]|{_QUOTED}{inner})*\)"


_BODY = rf"{_parentheses(_DEPTH)}(?:\s+ON\s+(?:MISMATCH|VIOLATION)\s+(?:WARN|DROP(?:\s+ROW)?|FAIL(?:\s+UPDATE)?)\b)?"
CLAUSE = rf"(?:EXPECT\s+{_NAME}|CONSTRAINT\s+{_NAME}\s+EXPECT)\s*{_BODY}"
"""The form of a check in a statement: `EXPECT name (condition) ON MISMATCH DROP`, or as Databricks writes it."""

_PARTS = re.compile(
    rf"\s*(?:CONSTRAINT\s+|EXPECT\s+)?(?P<name>{_NAME})(?:\s+EXPECT)?\s*"
    rf"(?P<condition>{_parentheses(_DEPTH)})(?:\s+ON\s+\w+\s+(?P<action>\w+)(?:\s+\w+)?)?\s*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)


class OnMismatch(str, Enum):
    """What happens to a row that fails a check."""

    WARN = "WARN"
    DROP = "DROP"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Check:
    """A name, a condition over the table's columns in SQL, and what happens to rows for which it is not true."""

    name: str
    condition: str
    on_mismatch: OnMismatch = OnMismatch.WARN

    @classmethod
    def parse(cls, text: str) -> Check:
        """Read a check as a statement or a file's header has it.

        >>> Check.parse("positive (amount > 0) ON MISMATCH DROP").on_mismatch.value
        'DROP'
        >>> str(Check.parse("CONSTRAINT known EXPECT (country IS NOT NULL)"))
        'known (country IS NOT NULL) ON MISMATCH WARN'
        """
        found = _PARTS.match(text)
        if found is None:
            raise InvalidCheck(
                f"{text.strip()!r} is not a check",
                hint="Write name (condition) ON MISMATCH WARN, DROP or FAIL.",
            )
        name = found["name"]
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        return cls(name, found["condition"][1:-1].strip(), _action(name, found["action"]))

    def __str__(self) -> str:
        word = self.name if re.fullmatch(r"\w+", self.name) else f"`{self.name.replace('`', '``')}`"
        return f"{word} ({self.condition}) ON MISMATCH {self.on_mismatch.value}"


Expect = Mapping[str, str | tuple[str, str]] | Sequence[Check | str] | str | None
"""Checks as a caller gives them: `{"positive": "amount > 0", "known": ("id IS NOT NULL", "DROP")}`, or as texts."""


def checks_of(expect: Expect) -> tuple[Check, ...]:
    """The checks that a caller gives; each needs a name of its own."""
    if isinstance(expect, str):
        found = [Check.parse(expect)]
    elif isinstance(expect, Mapping):
        found = [_pair(name, told) for name, told in expect.items()]
    else:
        found = [Check.parse(one) if isinstance(one, str) else one for one in expect or ()]
    names = [check.name.lower() for check in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidCheck(
            f"There are several checks named {twice[0]}", hint="Give each a name of its own."
        )
    return tuple(found)


def told_change(old: Sequence[Check], new: Sequence[Check]) -> str:
    """What becomes of a table's checks, in words; empty where nothing does."""
    gone = [f"-{check}" for check in old if check not in new]
    come = [f"+{check}" for check in new if check not in old]
    told = ", ".join([*gone, *come])
    return f"checks {told}" if told else ("" if old == new else "its checks change places")


@dataclass(frozen=True)
class Tally:
    """How many rows failed a check, and some of them."""

    check: Check
    rows: int
    examples: tuple[Mapping[str, object], ...] = ()


def measures_of(tallies: Sequence[Tally]) -> dict[str, float]:
    """The counts as history keeps them."""
    return {f"{MEASURE}{tally.check.name}": tally.rows for tally in tallies}


def failing_of(measures: Mapping[str, float]) -> dict[str, int]:
    """The counts that history has of a refresh, by check."""
    return {
        key.removeprefix(MEASURE): int(rows)
        for key, rows in measures.items()
        if key.startswith(MEASURE)
    }


def require_passed(name: object, tallies: Sequence[Tally]) -> None:
    """Refuse rows that fail a check of the kind FAIL."""
    bad = [tally for tally in tallies if tally.rows and tally.check.on_mismatch is OnMismatch.FAIL]
    if not bad:
        return
    told = "; ".join(
        f"{tally.rows:,} rows fail {tally.check.name} ({tally.check.condition}), such as "
        + " and ".join(_shown(row) for row in tally.examples)
        for tally in bad
    )
    raise CheckFailed(
        f"Nothing was written to {name}: {told}",
        measures=measures_of(tallies),
        hint="Correct the sources, or alter the check to WARN or DROP; then resume the table.",
    )


def _pair(name: str, told: str | tuple[str, str]) -> Check:
    condition, action = (told, None) if isinstance(told, str) else told
    if not name.strip() or "\n" in name:
        raise InvalidCheck(f"{name!r} does not name a check", hint="Give it a word.")
    return Check(name, condition.strip(), _action(name, action))


def _action(name: str, word: str | None) -> OnMismatch:
    try:
        return OnMismatch((word or "WARN").upper())
    except ValueError:
        raise InvalidCheck(
            f"The check {name} says {word}", hint="Say WARN, DROP or FAIL."
        ) from None


def _shown(row: Mapping[str, object]) -> str:
    values = (f"{name}={'NULL' if value is None else value}" for name, value in row.items())
    return f"({', '.join(values)})"
