"""Random queries over all operators, as text that Spark and DuckDB understand alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.random_selects import Selects

from streamtables.testing.random_tables import (
    TYPES,
    Script,
    Table,
    random_batch,
    random_insert,
    random_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

# How many tables a query reads at most: most bugs show in small queries, some only in big ones.
LEAVES = (2, 1, 2, 3, 3, 4, 5, 7)
SET_OPERATORS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")


def random_script(rng: Random, batch_count: int = 3, depth: int = 5) -> Script:
    """A script whose every batch touches two or more tables."""
    # Few types, so that columns meet.
    kinds = ["int", *rng.sample(TYPES[1:], rng.randint(1, 3))]
    tables = tuple(random_table(rng, f"t{i}", kinds) for i in range(rng.randint(2, 4)))
    setup = tuple(
        random_insert(rng, table, rng.randint(1, 5)) for table in tables if rng.random() < 0.9
    )
    queries = Queries(rng, tables, leaves=rng.choice(LEAVES))
    query = queries.query(queries.kinds(), rng.randint(0, depth))
    # The change is derived once for each set of tables that changes together.
    together = [rng.sample(tables, rng.randint(2, len(tables))) for _ in range(2)]
    batches = tuple(random_batch(rng, rng.choice(together)) for _ in range(batch_count))
    return Script(tables, setup, query, batches)


class Queries(Selects):
    """Draws whole queries over tables."""

    def query(self, kinds: Sequence[str], depth: int) -> str:
        """A query whose columns have the given types and are named c0, c1, …"""
        before, self.depth = self.depth, depth
        text = self._query(kinds, depth)
        self.depth = before
        return text

    def _query(self, kinds: Sequence[str], depth: int) -> str:
        if self.has_room() and self.chance(0.25):
            left, right = self.query(kinds, depth - 1), self.query(kinds, depth - 1)
            text = f"({left}) {self.rng.choice(SET_OPERATORS)} ({right})"
        elif self.has_room() and len(self.ctes) < 2 and self.chance(0.12):
            return self._with(kinds, depth)
        else:
            text = self.select(kinds, depth)
        return self.limited(text, kinds) if self.chance(0.08) else text

    def _with(self, kinds: Sequence[str], depth: int) -> str:
        inner_kinds = [*kinds, self.rng.choice(self.kinds())]
        inner = self.query(inner_kinds, depth - 1)
        # An inner WITH may hide a name of an outer one.
        hides = bool(self.ctes) and self.chance(0.3)
        name = self.ctes[-1].name if hides else self.name("w")
        self.ctes.append(Table(name, tuple((f"c{i}", kind) for i, kind in enumerate(inner_kinds))))
        outer = self.query(kinds, depth - 1)
        self.ctes.pop()
        if outer.startswith(f"WITH {name} "):
            items = ", ".join(f"c{i}" for i in range(len(kinds)))
            outer = f"SELECT {items} FROM ({outer}) {self.name('x')}"
        if outer.startswith("WITH "):
            return f"WITH {name} AS ({inner}), {outer.removeprefix('WITH ')}"
        return f"WITH {name} AS ({inner}) {outer}"
