"""The laws of a stream table, each as a check of one random script on DuckDB."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from streamtables.testing.bags import Row, assert_same
from streamtables.testing.duck import Duck, in_duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.testing.random_tables import Script

# Keys as literals make new SQL at each refresh, which costs more than running it.
LITERAL_EVERY = 12


class Refused(Exception):
    """The query has no delta rule: there is nothing to check."""


class Running:
    """A script on a DuckDB database, its stream table made."""

    def __init__(self, database: duckdb.DuckDBPyConnection, script: Script) -> None:
        self._database = database
        self.script = script
        # Over a handful of rows it costs more than it saves.
        database.execute("PRAGMA disable_optimizer")
        self.run([table.create for table in script.tables])
        self.run(script.setup)
        for table in script.tables:
            database.execute(f"CREATE TEMP TABLE start_{table.name} AS SELECT * FROM {table.name}")
        sources = [table.source for table in script.tables]
        self.duck = Duck(database, sources, script.query, LITERAL_EVERY, is_as_written=True)
        if self.duck.compiled.refusal:
            raise Refused(self.duck.compiled.refusal)

    def run(self, statements: tuple[str, ...] | list[str]) -> None:
        """Run statements of Spark SQL."""
        for text in statements:
            self._database.execute(in_duckdb(text))

    def step(
        self, statements: tuple[str, ...], about: str = "not the query in full"
    ) -> Counter[Row]:
        """Run statements, refresh, and compare with the query in full; gives the net change."""
        self.run(statements)
        change = self.duck.refresh()
        assert_same(self.duck.stored(), self.duck.full(), about)
        return change

    def back(self) -> None:
        """Put every table back to its first rows."""
        for table in self.script.tables:
            self._database.execute(f"DELETE FROM {table.name}")
            self._database.execute(f"INSERT INTO {table.name} SELECT * FROM start_{table.name}")


@contextmanager
def running(script: Script) -> Iterator[Running]:
    """A script with its first rows in place."""
    with duckdb.connect(":memory:", config={"threads": 1}) as database:
        yield Running(database, script)


def same_as_full(script: Script) -> int:
    """After every refresh the table is the query run in full."""
    with running(script) as run:
        for batch in script.batches:
            run.step(batch)
    return len(script.batches)


def nothing_from_nothing(script: Script) -> int:
    """Sources that are said to have changed and have not change nothing."""
    with running(script) as run:
        for batch in script.batches:
            assert_same(run.duck.nothing(), Counter(), "from nothing")
            run.step(batch)
    return 2 * len(script.batches)


def batches_add_up(script: Script) -> int:
    """The change over several batches is the sum of their changes."""
    parts: Counter[Row] = Counter()
    with running(script) as run:
        for batch in script.batches:
            parts.update(run.step(batch))
    with running(script) as run:
        whole = run.step(tuple(text for batch in script.batches for text in batch))
    _assert_same_change(parts, whole, "the changes of all batches are not the change over all")
    return len(script.batches) + 1


def twice_is_once(script: Script) -> int:
    """A refresh after a refresh changes nothing."""
    with running(script) as run:
        for batch in script.batches:
            run.step(batch)
            stored = run.duck.stored()
            assert_same(run.duck.refresh(), Counter(), "a second refresh")
            assert_same(run.duck.stored(), stored, "a second refresh")
    return len(script.batches)


def never_negative(script: Script) -> int:
    """No change takes away a row that is not there, or adds and takes away the same row."""
    with running(script) as run:
        for batch in script.batches:
            rows = Counter(run.duck.stored())
            rows.update(run.step(batch))
            assert min(rows.values(), default=0) >= 0, "fewer copies than none"
            assert_same(+rows, run.duck.stored(), "the change is not what was written")
    return len(script.batches)


def inverse_returns(script: Script) -> int:
    """The inverse of all changes brings the first answer back, by the inverse change."""
    with running(script) as run:
        start, there = run.duck.stored(), Counter()
        for batch in script.batches:
            there.update(run.step(batch))
        run.back()
        back = run.step((), "not the query in full, after going back")
        assert_same(run.duck.stored(), start, "not the first answer")
    _assert_same_change(
        there, Counter({row: -weight for row, weight in back.items()}), "no inverse"
    )
    return len(script.batches) + 1


LAWS = (
    same_as_full,
    nothing_from_nothing,
    batches_add_up,
    twice_is_once,
    never_negative,
    inverse_returns,
)


def _assert_same_change(one: Counter[Row], other: Counter[Row], about: str) -> None:
    assert_same(+one, +other, f"{about}: rows in")
    assert_same(-one, -other, f"{about}: rows out")
