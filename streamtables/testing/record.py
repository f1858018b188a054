"""What came of a case, written into its file as what is expected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamtables.testing.told import literal

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from streamtables.testing.bags import Row
    from streamtables.testing.cases import Case
    from streamtables.testing.follow import Outcome

_TOLD = re.compile(r"^--\s*(expect|answer)\s*:", re.IGNORECASE)
_OPENS = re.compile(r"^--\s*(stream|change|title)\s*:", re.IGNORECASE)
_TITLE = re.compile(r"^--\s*title\s*:\s*(.*?)\s*$", re.IGNORECASE)


def record(case: Case, outcome: Outcome) -> None:
    """Write the answer when made, and the net change of each step; a step that tells its answer keeps telling it."""
    lines = case.path.read_text(encoding="utf-8").splitlines()
    titles = ((i, _TITLE.match(line)) for i, line in enumerate(lines))
    # A file that begins without a title has its first case from its first line on.
    start = next((i for i, found in titles if found and found[1] == case.title), 0)
    sections = list(_sections(lines[start:]))
    own = 2 + len(case.steps)  # the tables, the query, the changes
    written = [*sections[0]]
    for number, section in enumerate(sections[1:own]):
        written += _with_told(section, list(_told(case, outcome, number)))
    written += [line for section in sections[own:] for line in section]
    case.path.write_text("\n".join([*lines[:start], *written]) + "\n", encoding="utf-8")


def _sections(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines from one directive that starts something to the next."""
    section: list[str] = []
    for line in lines:
        if section and _OPENS.match(line):
            yield section
            section = []
        section.append(line)
    yield section


def _with_told(section: list[str], told: list[str]) -> list[str]:
    kept = [line for line in section if not _TOLD.match(line)]
    end = len(kept)
    while not kept[end - 1].strip():
        end -= 1
    return [*kept[:end], *told, *kept[end:]]


def _told(case: Case, outcome: Outcome, number: int) -> Iterator[str]:
    """What is to be said after the query (0) or after a change."""
    answer = outcome.answers[number]
    if number == 0:
        yield from _lines("answer:", answer)
        return
    step, before = case.steps[number - 1], outcome.answers[number - 1]
    if step.answer is None or step.expect is not None:
        out, into = before - answer, answer - before
        yield from _lines("expect: -", out) if out else ()
        yield from _lines("expect: +", into) if into or not out else ()
    if step.answer is not None:
        yield from _lines("answer:", answer)


def _lines(word: str, rows: Counter[Row]) -> Iterator[str]:
    if not rows:
        yield f"-- {word.rstrip(' +-')} nothing"
    texts = sorted(", ".join(map(literal, row)) for row in rows.elements())
    one = f"-- {word} {' | '.join(texts)}"
    if texts:
        yield from [one] if len(one) <= 100 else [f"-- {word} {text}" for text in texts]
