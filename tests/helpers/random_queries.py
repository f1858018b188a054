"""Random queries over all operators, as text that Spark and DuckDB understand alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from helpers.random_tables import (
    TYPES,
    VALUES,
    Script,
    Table,
    random_batch,
    random_insert,
    random_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

SET_OPERATORS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
COMPARISONS = ("=", "<", "<=", "<>", "<=>", ">", ">=")


def random_script(rng: Random, batch_count: int = 3, depth: int = 4) -> Script:
    """A script whose every batch touches two or more tables."""
    tables = tuple(random_table(rng, f"t{i}") for i in range(rng.randint(2, 4)))
    setup = tuple(
        random_insert(rng, table, rng.randint(1, 5)) for table in tables if rng.random() < 0.9
    )
    kinds = [rng.choice(TYPES) for _ in range(rng.randint(1, 3))]
    query = Queries(rng, tables).query(kinds, rng.randint(0, depth))
    batches = tuple(random_batch(rng, tables) for _ in range(batch_count))
    return Script(tables, setup, query, batches)


@dataclass
class Queries:
    """Draws queries over tables; `leaves` bounds how many tables one query reads."""

    rng: Random
    tables: Sequence[Table]
    leaves: int = 6
    ctes: list[Table] = field(default_factory=list)
    _aliases: int = 0

    def query(self, kinds: Sequence[str], depth: int) -> str:
        """A query whose columns have the given types and are named c0, c1, …"""
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            left, right = self.query(kinds, depth - 1), self.query(kinds, depth - 1)
            return f"({left}) {rng.choice(SET_OPERATORS)} ({right})"
        if depth > 0 and not self.ctes and rng.random() < 0.15:
            return self._with(kinds, depth)
        return self._select(kinds, depth)

    def _with(self, kinds: Sequence[str], depth: int) -> str:
        inner_kinds = [*kinds, self.rng.choice(TYPES)]
        inner = self.query(inner_kinds, depth - 1)
        self.ctes.append(Table("w", tuple((f"c{i}", kind) for i, kind in enumerate(inner_kinds))))
        outer = self._select(kinds, depth - 1)
        self.ctes.pop()
        return f"WITH w AS ({inner}) {outer}"

    def _select(self, kinds: Sequence[str], depth: int) -> str:
        rng = self.rng
        source, columns = self._from(depth)
        where = f" WHERE {self.condition(columns)}" if rng.random() < 0.4 else ""
        if rng.random() < 0.35:
            return self._grouped(kinds, source + where, columns)
        distinct = "DISTINCT " if rng.random() < 0.15 else ""
        items = ", ".join(f"{self.value(kind, columns)} AS c{i}" for i, kind in enumerate(kinds))
        return f"SELECT {distinct}{items} FROM {source}{where}"

    def _grouped(
        self, kinds: Sequence[str], source: str, columns: Sequence[tuple[str, str]]
    ) -> str:
        rng = self.rng
        keys, items, is_counted = [], [], False
        for i, kind in enumerate(kinds):
            if rng.random() < 0.5:
                value = self.value(kind, columns)
                keys.append(value)
            else:
                value, is_counted = self.aggregate(kind, columns), True
            items.append(f"{value} AS c{i}")
        if rng.random() < 0.15:
            keys.append(self.value(rng.choice(TYPES), columns))
        # A constant groups nothing, and GROUP BY 1 would mean the first column.
        keys = [key for key in dict.fromkeys(keys) if any(column in key for column, _ in columns)]
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        is_needed = not keys and not is_counted
        having = f" HAVING {self._having(columns)}" if is_needed or rng.random() < 0.25 else ""
        return f"SELECT {', '.join(items)} FROM {source}{group}{having}"

    def _having(self, columns: Sequence[tuple[str, str]]) -> str:
        kind = self.rng.choice(("int", "decimal(10,2)", "string"))
        compared = f"{self.rng.choice(COMPARISONS)} {self.rng.choice(VALUES[kind])}"
        return f"{self.aggregate(kind, columns)} {compared}"

    def aggregate(self, kind: str, columns: Sequence[tuple[str, str]]) -> str:
        """An aggregate of a type, in any of its forms."""
        rng = self.rng
        functions = {"int": ("COUNT", "SUM", "MIN", "MAX"), "decimal(10,2)": ("SUM", "MIN", "MAX")}
        function = rng.choice(functions.get(kind, ("MIN", "MAX")))
        if function == "COUNT":
            if rng.random() < 0.4:
                call = "COUNT(*)"
            else:
                distinct = "DISTINCT " if rng.random() < 0.3 else ""
                call = f"COUNT({distinct}{self.value(rng.choice(TYPES), columns)})"
        else:
            distinct = "DISTINCT " if rng.random() < 0.2 else ""
            call = f"{function}({distinct}{self.value(kind, columns)})"
        if rng.random() < 0.2:
            call += f" FILTER (WHERE {self.condition(columns)})"
        if kind == "int" and rng.random() < 0.1:
            return f"CASE WHEN AVG({self.value('int', columns)}) > 1 THEN {call} ELSE 0 END"
        return call

    def _from(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        """One to four inputs, joined; and their columns."""
        rng = self.rng
        text, columns = self._input(depth)
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            if self.leaves <= 0:
                break
            before = list(columns)
            source, more = self._input(depth)
            columns += more
            pair = self._equality(before, more)
            if pair and rng.random() < 0.85:
                extra = f" AND {self.condition(columns)}" if rng.random() < 0.3 else ""
                text += f" JOIN {source} ON {pair}{extra}"
            elif rng.random() < 0.5:
                text += f" JOIN {source} ON {self.condition(columns)}"
            else:
                text += f" CROSS JOIN {source}"
        return text, columns

    def _input(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        rng = self.rng
        self._aliases += 1
        alias = f"x{self._aliases}"
        if depth > 0 and self.leaves > 1 and rng.random() < 0.35:
            kinds = [rng.choice(TYPES) for _ in range(rng.randint(1, 3))]
            inner = self.query(kinds, depth - 1)
            return f"({inner}) {alias}", [(f"{alias}.c{i}", kind) for i, kind in enumerate(kinds)]
        self.leaves -= 1
        table = rng.choice((*self.ctes, *self.tables))
        return f"{table.name} {alias}", [(f"{alias}.{name}", kind) for name, kind in table.columns]

    def _equality(
        self, left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]]
    ) -> str | None:
        pairs = [(a, b) for a, kind in left for b, other in right if kind == other]
        if not pairs:
            return None
        one, other = self.rng.choice(pairs)
        return f"{one} {'<=>' if self.rng.random() < 0.2 else '='} {other}"

    def condition(self, columns: Sequence[tuple[str, str]], depth: int = 2) -> str:
        """A condition of three-valued logic."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            one, other = self.condition(columns, depth - 1), self.condition(columns, depth - 1)
            return rng.choice((f"({one} AND {other})", f"({one} OR {other})", f"NOT ({one})"))
        column, kind = rng.choice(columns)
        form = rng.randint(0, 5)
        if form <= 1:
            return f"{column} {rng.choice(COMPARISONS)} {self.value(kind, columns, 0)}"
        if form == 2:
            return f"{column} IS {rng.choice(('', 'NOT '))}NULL"
        if form == 3:
            values = [rng.choice((*VALUES[kind], "NULL")) for _ in range(rng.randint(1, 3))]
            return f"{column} {rng.choice(('', 'NOT '))}IN ({', '.join(values)})"
        if form == 4:
            return f"{column} BETWEEN {rng.choice(VALUES[kind])} AND {rng.choice(VALUES[kind])}"
        return column if kind == "boolean" else f"{column} <> {rng.choice(VALUES[kind])}"

    def value(self, kind: str, columns: Sequence[tuple[str, str]], depth: int = 2) -> str:
        """An expression of a type."""
        rng = self.rng
        fitting = [column for column, other in columns if other == kind]
        if depth > 0 and rng.random() < 0.2:
            return self._computed(kind, columns, depth - 1)
        if fitting and rng.random() < 0.9:
            return rng.choice(fitting)
        if rng.random() < 0.1:
            return f"CAST(NULL AS {kind.upper()})"
        literal = rng.choice(VALUES[kind])
        return f"CAST({literal} AS {kind.upper()})" if kind.startswith("decimal") else literal

    def _computed(self, kind: str, columns: Sequence[tuple[str, str]], depth: int) -> str:
        rng = self.rng
        one, other = self.value(kind, columns, depth), self.value(kind, columns, depth)
        forms = [
            f"coalesce({one}, {other})",
            f"CASE WHEN {self.condition(columns)} THEN {one} ELSE {other} END",
        ]
        if kind in ("int", "decimal(10,2)"):
            forms += [f"({one} + {other})", f"({one} - {other})"]
        if kind == "string":
            forms += [f"({one} || {other})", f"upper({one})"]
        if kind == "boolean":
            forms.append(f"({self.condition(columns)})")
        return rng.choice(forms)
