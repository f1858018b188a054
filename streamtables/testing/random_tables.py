"""Random tables and their changes, as text that Spark and DuckDB understand alike.

Everything is drawn from a `random.Random`; Hypothesis can stand in for it, and then shrinks what it drew: so the first
choice is always the plainest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamtables.model import Column, Source, SourceKind, TableName

if TYPE_CHECKING:
    from random import Random

VALUES = {
    "int": ("1", "2", "0", "3", "-1"),
    "string": ("'a'", "'b'", "''", "'c'"),
    "decimal(10,2)": ("1.00", "2.50", "0.00", "-0.50"),
    "date": ("DATE '2024-01-01'", "DATE '2024-02-29'", "DATE '2025-12-31'"),
    "boolean": ("TRUE", "FALSE"),
    "bigint": ("1", "2", "0", "3000000000"),
    # Halves are exact.
    "double": ("1.5", "2.5", "0.0", "-0.5"),
    "timestamp_ntz": (
        "TIMESTAMP_NTZ '2024-01-01 00:00:00'",
        "TIMESTAMP_NTZ '2024-02-29 12:30:00.5'",
    ),
}
Values = Mapping[str, Sequence[str]]
"""Literals per type."""

TYPES = tuple(VALUES)
NUMBERS = ("int", "bigint", "decimal(10,2)", "double")
# Types whose literals are of another type as written.
_CAST = ("decimal(10,2)", "double", "bigint")


@dataclass(frozen=True)
class Table:
    """A table: its name, and its columns with their types."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def source(self) -> Source:
        """The table as the compiler knows it."""
        columns = tuple(Column(name, kind) for name, kind in self.columns)
        return Source(TableName((self.name,)), SourceKind.DELTA, columns)

    @property
    def create(self) -> str:
        """The statement that makes it."""
        return f"CREATE TABLE {self.name} ({', '.join(f'{name} {kind.upper()}' for name, kind in self.columns)})"


@dataclass(frozen=True)
class Script:
    """Tables, their first rows, one query, and changes: each a list of statements that land in one refresh."""

    tables: tuple[Table, ...]
    setup: tuple[str, ...]
    query: str
    batches: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        """The script as a case file has it."""
        changes = [
            f"-- change: {i}\n" + ";\n".join(batch) + ";" for i, batch in enumerate(self.batches, 1)
        ]
        start = ";\n".join((*(table.create for table in self.tables), *self.setup)) + ";"
        return "\n".join(
            [
                "-- title: found by the laws",
                start,
                f"-- stream: incremental\n{self.query};",
                *changes,
            ]
        )


def literal(value: str, kind: str) -> str:
    """A value of VALUES, or NULL, as a literal of just that type."""
    return f"CAST({value} AS {kind.upper()})" if kind in _CAST or value == "NULL" else value


def random_table(rng: Random, name: str, kinds: Sequence[str] = TYPES) -> Table:
    """A table of one to three columns of given types."""
    chosen = [rng.choice(kinds) for _ in range(rng.randint(1, 3))]
    return Table(name, tuple((f"k{i}", kind) for i, kind in enumerate(chosen)))


def random_insert(rng: Random, table: Table, count: int, values: Values = VALUES) -> str:
    """An INSERT of some rows."""
    rows = ", ".join(
        f"({', '.join(_value(rng, kind, values) for _, kind in table.columns)})"
        for _ in range(count)
    )
    return f"INSERT INTO {table.name} VALUES {rows}"


def random_batch(rng: Random, chosen: Sequence[Table], values: Values = VALUES) -> tuple[str, ...]:
    """Statements that land in one refresh: all the tables change, some of them more than once."""
    again = [rng.choice(chosen) for _ in range(rng.choice((0, 0, 1, 2)))]
    return tuple(text for table in (*chosen, *again) for text in _change(rng, table, values))


def _change(rng: Random, table: Table, values: Values) -> tuple[str, ...]:
    column, kind = rng.choice(table.columns)
    other, other_kind = rng.choice(table.columns)
    where = f" WHERE {_condition(rng, other, other_kind, values)}"
    form = rng.randint(0, 11)
    if form <= 3:
        return (random_insert(rng, table, rng.randint(1, 3), values),)
    if form <= 5:
        return (f"DELETE FROM {table.name}{where}",)
    if form <= 8:
        return (f"UPDATE {table.name} SET {column} = {_value(rng, kind, values)}{where}",)
    if form == 9:
        return (f"UPDATE {table.name} SET {column} = {column}",)
    truncate = f"DELETE FROM {table.name}"
    if form == 10:
        return (truncate,)
    return (truncate, random_insert(rng, table, rng.randint(1, 3), values))


def _condition(rng: Random, column: str, kind: str, values: Values) -> str:
    value = _value(rng, kind, values)
    return (
        f"{column} IS NULL"
        if value == "NULL"
        else f"{column} {rng.choice(('=', '<=', '<>'))} {value}"
    )


def _value(rng: Random, kind: str, values: Values) -> str:
    """A literal; NULL now and then."""
    value = rng.choice(values[kind]) if rng.random() < 0.85 else "NULL"
    return value if value == "NULL" else literal(value, kind)
