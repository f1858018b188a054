"""The few things a refresh asks of a lake; streamtables.spark answers them with Spark and Delta Lake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from streamtables.checks import Tally
    from streamtables.model import (
        Column,
        Committed,
        Condition,
        Frontier,
        Position,
        Source,
        StreamTable,
        TableName,
        Window,
        Written,
    )
    from streamtables.plan.delta import Delta
    from streamtables.sql.compile import Compiled


C = TypeVar("C", bound="Changes")


class Work(Protocol[C]):
    """One refresh's computing, over sources pinned at the window's end."""

    def changed_rows(self) -> dict[str, int]:
        """Read the change of every source: how many rows each changed (net); those without are left out."""

    def sizes(self) -> tuple[Mapping[str, int], int]:
        """How many rows each source holds, and how many the result."""

    def derive(self, delta: Delta) -> C:
        """Run the steps of a delta: the change of the answer, without rows that a check leaves out."""

    def follow(self, delta: Delta) -> None:
        """Run those of its steps that tell how what is kept changes."""

    def recompute(self) -> C:
        """Run the query in full: its answer, without rows that a check leaves out, less what is stored."""

    def tallies(self) -> Sequence[Tally]:
        """What the table's checks found among the rows that were computed."""

    def examples(self, changes: C, most: int) -> tuple[tuple[Any, ...], ...]:
        """Rows of a change, each with its weight last."""

    def state_types(self) -> Mapping[str, str] | None:
        """The types of what is kept beside the table, if it is what this refresh starts from."""

    def keep(self, frontier: Frontier) -> None:
        """Write what is kept beside the table, so that it stands at the frontier."""

    def commit(self, changes: C, frontier: Frontier, *, is_due: bool = False) -> Committed:
        """Write the change and the frontier in one commit; without rows to change only if it `is_due`.

        It is due where the table's log would otherwise go on to say that nothing was taken in.
        """

    def measures(self) -> Mapping[str, float]:
        """What was counted on the way, for history."""


class Changes(Protocol):
    """The change of an answer: consolidated, and already computed."""

    @property
    def rows_inserted(self) -> int:
        """Rows that come in, copies counted."""

    @property
    def rows_deleted(self) -> int:
        """Rows that go, copies counted."""


class Engine(Protocol):
    """A lake."""

    def analyze(self, compiled: Compiled) -> tuple[Column, ...]:
        """The names and types of the query's answer, as the lake's own SQL says."""

    def resolve(self, name: TableName) -> TableName:
        """A name with its schema, as the lake sees it now."""

    def view(self, name: TableName) -> str | None:
        """The query behind a view, over tables alone; None for what is not a view, or not one of this session."""

    def source(self, name: TableName) -> Source:
        """Resolve a table that a query reads."""

    def pin(self, sources: Sequence[Source]) -> dict[str, Position]:
        """The newest position of each source, by the key of its name."""

    def broken(
        self, source: Source, window: Window, columns: Sequence[str]
    ) -> tuple[str, str] | None:
        """Why the change of a source cannot be read as a delta (reason code and words), or None."""

    def condition(self, source: Source, since: Position | None) -> Condition:
        """How a table is kept, for one who has read it up to a position; not for mirrored sources."""

    def written(self, table: StreamTable) -> Written | None:
        """What the stream table's log says; None where the table is not there."""

    def left_behind(self, table: StreamTable) -> tuple[StreamTable, Frontier, Committed] | None:
        """The stream table of the same name and query that was made but never registered, if there is one."""

    def create(self, table: StreamTable, compiled: Compiled, frontier: Frontier) -> Committed:
        """Make the stream table with the query's answer at the frontier in one commit, if its checks allow it."""

    def definition(self, name: TableName) -> StreamTable | None:
        """The definition that a stream table carries."""

    def describe(self, table: StreamTable) -> None:
        """Let the stream table carry its definition as it is now."""

    def replace(self, table: StreamTable, compiled: Compiled, frontier: Frontier) -> Committed:
        """Give a stream table other columns, its definition, and its query's answer at the frontier, in one commit."""

    def work(
        self, table: StreamTable, compiled: Compiled, windows: Mapping[str, Window]
    ) -> AbstractContextManager[Work[Any]]:
        """Open one refresh's computing."""

    def state_types(
        self, table: StreamTable, compiled: Compiled, frontier: Frontier
    ) -> Mapping[str, str] | None:
        """The types of what is kept beside the table, if it stands at the frontier."""

    def is_alive(self) -> bool:
        """Whether the lake can be worked on."""

    def is_transient(self, error: Exception) -> bool:
        """Whether an error may be gone when the same is tried again."""

    def abandon(self) -> None:
        """Break off whatever runs."""

    def compact(self, table: StreamTable, compiled: Compiled, *, always: bool) -> tuple[int, int]:
        """Write small files together where they are many, or `always`; gives the table's files before and after."""

    def drop(self, table: StreamTable) -> None:
        """Remove the stream table, its rows and all that the engine keeps for it."""
