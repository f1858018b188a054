"""The DuckDB lane: a case by the rules' SQL, without Spark."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import duckdb
from sqlglot.errors import SqlglotError

from streamtables.plan.keys import unique_keys
from streamtables.testing.bags import Row, assert_same
from streamtables.testing.duck import CannotRun, Duck
from streamtables.testing.follow import failed
from streamtables.testing.told import CaseError
from streamtables.testing.translate import in_duckdb, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.testing.cases import Case


@contextmanager
def duck_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty DuckDB database in memory."""
    number = next(_numbers)
    with _duckdb().cursor() as connection:
        connection.execute("SET TimeZone = 'UTC'")  # as in our Spark sessions
        connection.execute(f"ATTACH ':memory:' AS lane_{number}")
        connection.execute(f"USE lane_{number}")
        try:
            yield connection
        except duckdb.FatalException:  # this one takes no statement more
            _duckdb.cache_clear()
            raise
        finally:
            with suppress(duckdb.FatalException):
                connection.execute("USE memory")
                connection.execute(f"DETACH lane_{number}")


_numbers = count()


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """The DuckDB of this process: to start one takes longer than most cases do."""
    connection = duckdb.connect(config={"threads": 1})
    # DuckDB 2.0 takes a LEFT JOIN whose right side it can tell to be empty, below a GROUP BY, for empty itself.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    return connection


# Keys as literals make new SQL at each refresh, which costs more than running it.
LITERAL_EVERY = 3


class DuckLane:
    """One case in a database of its own."""

    name = "duckdb"

    def __init__(self, database: duckdb.DuckDBPyConnection, case: Case) -> None:
        self._database, self._case = database, case
        self._is_refreshed = False

    def create(self) -> None:
        """Make the tables and the stream table; whether it has a plan is as the case pins it."""
        for schema in self._case.schemas:
            self._database.execute(f"CREATE SCHEMA IF NOT EXISTS {names(schema)}")
        self.run(self._case.setup)
        with _understood():
            self._duck = Duck(self._database, self._case.sources, self._case.query, LITERAL_EVERY)
        refusal = self._duck.compiled.refusal
        if refusal is None:
            told = f"{self._case.mode} {self._case.reason}".strip()
            assert self._case.mode == "incremental", (
                f"it has a delta rule, and is told to be {told}"
            )
        else:
            assert self._case.mode == "full", str(refusal)
            assert self._case.reason in (refusal.reason, ""), str(refusal)

    def run(self, statements: tuple[str, ...]) -> None:
        """Run statements of Spark SQL."""
        for text in statements:
            try:
                with _understood():
                    self._database.execute(in_duckdb(text))
            except duckdb.Error as error:
                raise CaseError(failed(text, error)) from error

    def refresh(self) -> tuple[int, int]:
        """Take in what changed; gives the numbers of rows in and out. Nothing comes of nothing, the first time."""
        before = self.stored()
        if self._case.mode == "full":
            self._duck.recompute()
            after = self.stored()
            return (after - before).total(), (before - after).total()
        with _understood():
            change = self._duck.refresh()
        assert not (-change) - before, "the change takes away a row that is not there"
        if not self._is_refreshed:
            assert_same(self._duck.nothing(), Counter(), "from nothing")
            _assert_keys(self._duck)
            self._is_refreshed = True
        return (+change).total(), (-change).total()

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""
        return self._duck.stored()

    def full(self) -> Counter[Row]:
        """The query on the tables as they are now."""
        return self._duck.full()


def _assert_keys(duck: Duck) -> None:
    """No two rows share what is said to be a key."""
    plan, rows = duck.compiled.plan, duck.stored()
    if plan is None:
        return
    for key in unique_keys(plan):
        places = [plan.columns.index(name) for name in key]
        found = Counter(tuple(row[i] for i in places) for row in rows.elements())
        assert max(found.values(), default=0) <= 1, f"two rows share the key {key}"


@contextmanager
def _understood() -> Iterator[None]:
    """Say of what DuckDB does not understand that this lane cannot run it; its data errors stay what they are."""
    unknown = (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)
    try:
        yield
    except (*unknown, duckdb.NotImplementedException, SqlglotError) as error:
        raise CannotRun(f"DuckDB cannot run it: {str(error).splitlines()[0]}") from error
