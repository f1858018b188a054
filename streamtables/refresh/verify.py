"""The proof: a stream table against its query, run in full at the versions the table has taken in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.errors import NotAStreamTable
from streamtables.model import Window
from streamtables.plan.nodes import WEIGHT
from streamtables.sql.compile import compile_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.model import StreamTable
    from streamtables.refresh.engine import Engine
    from streamtables.refresh.run import Refresher

MOST_EXAMPLES = 20
"""So many differing rows are told."""


@dataclass(frozen=True)
class Verification:
    """Rows that the query has and the table lacks, and the reverse; both 0 where they are the same bag."""

    name: str
    rows_missing: int
    rows_unexpected: int
    examples: tuple[Mapping[str, object], ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether the table equals its query."""
        return not (self.rows_missing or self.rows_unexpected)

    def __bool__(self) -> bool:
        return self.is_same

    def __str__(self) -> str:
        if self.is_same:
            return f"{self.name} equals its query"
        head = (
            f"{self.name} differs from its query: {self.rows_missing} rows missing (+), "
            f"{self.rows_unexpected} unexpected (-)"
        )
        return "\n".join([head, *map(_signed, self.examples)])


def verify(table: StreamTable, refresher: Refresher, engine: Engine) -> Verification:
    """Compare under the table's lock, so that no refresh moves it meanwhile."""
    with refresher.lock(table):
        written = engine.written(table)
        frontier = refresher.catalog.frontier(table.id) or (written.frontier if written else None)
        if frontier is None:
            raise NotAStreamTable(f"{table.name} was never filled", hint="Refresh it first.")
        windows = {key: Window(position, position) for key, position in frontier.positions.items()}
        with engine.work(table, compile_table(table), windows) as work:
            changes = work.recompute()
            names = [*(column.name for column in table.columns), WEIGHT]
            rows = work.examples(changes, MOST_EXAMPLES)
            return Verification(
                str(table.name),
                changes.rows_inserted,
                changes.rows_deleted,
                tuple(dict(zip(names, row, strict=True)) for row in rows),
            )


def _signed(row: Mapping[str, object]) -> str:
    """A differing row: what the query has and the table lacks with a plus, the reverse with a minus."""
    values = ", ".join(
        f"{name}={'NULL' if value is None else value}"
        for name, value in row.items()
        if name != WEIGHT
    )
    weight = int(str(row[WEIGHT]))
    return f"  {'+' if weight > 0 else '-'} {values}{f'  ({abs(weight)} times)' if abs(weight) > 1 else ''}"
