"""A case, followed step by step: after each change the stream table is its query, run in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from streamtables.errors import StreamTablesError, UnsupportedQuery
from streamtables.testing.bags import Row, assert_same

if TYPE_CHECKING:
    from collections import Counter

    from streamtables.testing.cases import Case, Step


class Lane(Protocol):
    """Where a case runs."""

    name: str

    def create(self) -> None:
        """Make the stream table."""

    def run(self, statements: tuple[str, ...]) -> None:
        """Run statements of Spark SQL."""

    def refresh(self) -> tuple[int, int]:
        """Refresh the stream table; gives the numbers of rows in and out."""

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""

    def full(self) -> Counter[Row]:
        """The query on the tables as they are now."""


@dataclass(frozen=True)
class Outcome:
    """The answer when the stream table was made, and after each change."""

    answers: tuple[Counter[Row], ...]


def follow(case: Case, lane: Lane, *, is_told: bool = True) -> Outcome:
    """Make the stream table, then one change after the other; without `is_told`, no matter what the case expects."""
    lane.create()
    answers = [_answer(lane, "when made")]
    if is_told and case.answer is not None:
        assert_same(answers[0], case.answer, "not the answer told, when made")
    for step in case.steps:
        about = f"after the change in line {step.line}: {step.words}"
        lane.run(step.statements)
        counts = lane.refresh()
        before, after = answers[-1], _answer(lane, about)
        assert counts == ((after - before).total(), (before - after).total()), (
            f"the refresh reports {counts} rows in and out, {about}"
        )
        if is_told:
            _check_told(step, before, after, about)
        answers.append(after)
    return Outcome(tuple(answers))


def _answer(lane: Lane, about: str) -> Counter[Row]:
    """What is stored, which is the query in full."""
    stored = lane.stored()
    assert_same(stored, lane.full(), f"not the query in full, {about}")
    return stored


def _check_told(step: Step, before: Counter[Row], after: Counter[Row], about: str) -> None:
    if step.answer is not None:
        assert_same(after, step.answer, f"not the answer told, {about}")
    if step.expect is not None:
        assert_same(after - before, +step.expect, f"not the rows in that are told, {about}")
        assert_same(before - after, -step.expect, f"not the rows out that are told, {about}")


def failed(statement: str, error: Exception) -> str:
    """Words for a statement of a case that a lane could not run."""
    return f"this statement failed: {statement}\n{str(error).strip().splitlines()[0]}"


def check_refused(case: Case, lane: Lane) -> None:
    """Making the stream table fails with the reason, the words and the place that the case tells."""
    try:
        lane.create()
    except StreamTablesError as error:
        _check_error(case, error)
    else:
        raise AssertionError(f"not refused: it should be, with {case.reason or 'any reason'}")


def _check_error(case: Case, error: StreamTablesError) -> None:
    reason = error.reason if isinstance(error, UnsupportedQuery) else type(error).__name__
    assert case.reason in (reason, ""), f"refused with {reason}: {error}"
    words, _, place = case.error.partition(" @ ")
    assert words.lower() in str(error).lower(), f"the error does not say {words!r}: {error}"
    if place:
        found = f"{error.place.line}:{error.place.column}" if error.place else "no place"
        assert found == place, f"the error points at {found}: {error}"
    assert error.hint or "parse" in str(error), f"the error does not say what to do: {error}"
