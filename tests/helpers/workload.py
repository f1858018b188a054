"""Workloads: queries over tables, and rounds of changes of these tables, on either lane.

A round holds statements of Spark SQL that land in one refresh. Rows that are to come later lie in tables of their own,
so that a round is the same text on DuckDB and on Spark.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import pyarrow.parquet as pq
from helpers.specification import SQL

from streamtables.model import Column, Source, SourceKind, TableName
from streamtables.testing.bags import Row, assert_same
from streamtables.testing.duck import Duck, in_duckdb

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from helpers.lake import Lake

    from streamtables.model import Refresh

# Keys as literals make new SQL at each refresh, which costs more than running it.
LITERAL_EVERY = 5
# Types of Arrow under Spark's names; the others have the same.
TYPES = {"int32": "int", "int64": "bigint", "string_view": "string", "date32[day]": "date"}


@dataclass(frozen=True)
class Workload:
    """A Parquet file per table in a folder, statements that finish the setup, and rounds of changes."""

    name: str
    folder: Path
    tables: tuple[str, ...]
    setup: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]

    def path(self, table: str) -> Path:
        """The file with the first rows of a table."""
        return self.folder / f"{table}.parquet"

    @property
    def sources(self) -> tuple[Source, ...]:
        """The tables and their columns."""
        return tuple(
            Source(TableName((table,)), SourceKind.DELTA, tuple(_columns(self.path(table))))
            for table in self.tables
        )


@dataclass
class Course:
    """How a view went: the size of its answer at first and after each round, and each round's net change."""

    sizes: list[int]
    changes: list[Counter[Row]]

    @property
    def moved(self) -> int:
        """In how many rounds the answer changed."""
        return sum(map(bool, self.changes))


def queries(name: str) -> dict[str, str]:
    """The queries of a workload by name: one per file."""
    files = sorted((SQL / "queries" / name).glob("*.sql"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def follow_on_duckdb(workload: Workload, query: str) -> Course:
    """One view through every round, kept by the rules' SQL: it is the query in full each time."""
    with _loaded(workload) as database:
        duck = Duck(database, workload.sources, query, LITERAL_EVERY)
        assert duck.compiled.refusal is None, duck.compiled.refusal
        course = Course([duck.stored().total()], [])
        for number, statements in enumerate(workload.rounds):
            for text in statements:
                database.execute(in_duckdb(text))
            course.changes.append(duck.refresh())
            stored = duck.stored()
            assert_same(stored, duck.full(), f"not the query in full, after round {number}")
            course.sizes.append(stored.total())
        return course


def follow_on_spark(workload: Workload, lake: Lake) -> dict[str, int]:
    """All views at once through every round, by the public API; gives in how many rounds each changed."""
    views = queries(workload.name)
    moved = dict.fromkeys(views, 0)
    with _in_schema(workload, lake):
        for view, query in views.items():
            lake.st.create_stream_table(f"{lake}.{view}", query, refresh_mode="INCREMENTAL")
            lake.check(view)
        for statements in workload.rounds:
            lake.sql(*statements)
            for view in views:
                moved[view] += _is_move(lake.st.refresh(f"{lake}.{view}"))
                lake.check(view)
    return moved


@contextmanager
def _loaded(workload: Workload) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the tables as they are before the first round."""
    with duckdb.connect(":memory:", config={"threads": 1}) as database:
        for source in workload.sources:
            table = str(source.name)
            columns = ", ".join(f"{column.name} {column.type}" for column in source.columns)
            database.execute(f"CREATE TABLE {table} ({columns})")
            database.execute(f"INSERT INTO {table} FROM read_parquet('{workload.path(table)}')")
        for text in workload.setup:
            database.execute(in_duckdb(text))
        yield database


@contextmanager
def _in_schema(workload: Workload, lake: Lake) -> Iterator[None]:
    """The same in Delta Lake; meanwhile a table's bare name means the one in the schema."""
    lake.sql(f"USE {lake}")
    try:
        for table in workload.tables:
            read = f"SELECT * FROM parquet.`{workload.path(table)}`"
            lake.sql(f"CREATE TABLE {table} USING delta AS {read}")
        lake.sql(*map(_as_delta, workload.setup))
        yield
    finally:
        lake.sql("USE default")


def _columns(path: Path) -> Iterator[Column]:
    for field in pq.read_schema(path):
        kind = str(field.type).replace("decimal128", "decimal").replace(" ", "")
        yield Column(field.name, "timestamp" if "timestamp" in kind else TYPES.get(kind, kind))


def _as_delta(text: str) -> str:
    is_table = text.startswith("CREATE TABLE")
    return text.replace(" AS SELECT ", " USING delta AS SELECT ", 1) if is_table else text


def _is_move(refresh: Refresh) -> bool:
    assert refresh.action.value in ("INCREMENTAL", "NO_DATA"), (refresh.action, refresh.reason)
    return bool(refresh.rows_inserted or refresh.rows_deleted)
