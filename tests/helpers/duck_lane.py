"""The DuckDB lane: a case by the rules' SQL."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from helpers.bags import Row, assert_same
from helpers.duck import Duck, in_duckdb

if TYPE_CHECKING:
    import duckdb
    from helpers.cases import Case


class DuckLane:
    """One case in a database of its own."""

    def __init__(self, database: duckdb.DuckDBPyConnection, case: Case) -> None:
        self._database, self._case = database, case

    def create(self) -> None:
        """Make the tables and the stream table; whether it has a plan is as the case pins it."""
        self.run(self._case.setup)
        self._duck = Duck(self._database, self._case.sources, self._case.query)
        refusal = self._duck.compiled.refusal
        assert (refusal.reason if refusal else "") == self._case.reason, refusal

    def run(self, statements: tuple[str, ...]) -> None:
        """Run statements of Spark SQL."""
        for text in statements:
            self._database.execute(in_duckdb(text))

    def refresh(self) -> tuple[int, int]:
        """Take in what changed; gives the numbers of rows in and out. Nothing comes of nothing."""
        before = self.stored()
        if self._case.mode == "full":
            self._duck.recompute()
            after = self.stored()
            return (after - before).total(), (before - after).total()
        change = self._duck.refresh()
        assert not (-change) - before, "the change takes away a row that is not there"
        assert_same(self._duck.nothing(), Counter(), "from nothing")
        return (+change).total(), (-change).total()

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""
        return self._duck.stored()

    def full(self) -> Counter[Row]:
        """The query on the tables as they are now."""
        return self._duck.full()
