"""Random subqueries in expressions: EXISTS, IN, and single values, tied to the rows around them or not.

A subquery borrows in its WHERE, or in ON of an outer join: Spark refuses most other places. DuckDB does not run a
correlated IN of several columns, so those of several columns are not correlated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.random_values import COMPARISONS, Columns, Expressions

if TYPE_CHECKING:
    from collections.abc import Sequence


class Subqueries(Expressions):
    """Draws expressions with subqueries inside."""

    def query(self, kinds: Sequence[str], depth: int) -> str:
        """A query whose columns have the given types and are named c0, c1, …"""
        raise NotImplementedError

    def from_(self, depth: int) -> tuple[str, Columns]:
        """A FROM clause and its columns."""
        raise NotImplementedError

    def tied_in_on(self, outer: Columns) -> tuple[str, Columns]:
        """An outer join that borrows in ON, and its columns."""
        raise NotImplementedError

    def predicate(self, columns: Columns, *, is_known: bool) -> str:
        """EXISTS or IN over rows with these columns; with `is_known`, one that is never NULL."""
        form = self.rng.randint(0, 4)
        negated = self.rng.choice(("", "NOT "))
        if form <= 1:
            source, _ = self.tied(columns, 1 if form == 0 else 0.4)
            return f"{negated}EXISTS (SELECT 1 FROM {source})"
        within = self._in(columns, negated, form)
        return f"coalesce({within}, FALSE)" if is_known else within

    def _in(self, columns: Columns, negated: str, form: int) -> str:
        rng = self.rng
        if form <= 3:
            column, kind = rng.choice(columns)
            source, inner = self.tied(columns, 0 if form == 2 else 0.6)
            item = self.value(kind, inner)
            return f"{column} {negated}IN (SELECT {item} FROM {source})"
        pair = [rng.choice(columns) for _ in range(2)]
        names = ", ".join(column for column, _ in pair)
        return f"({names}) {negated}IN ({self.query([kind for _, kind in pair], self.depth - 1)})"

    def scalar(self, kind: str, columns: Columns) -> str:
        """An aggregate over a tied FROM, or over a query of its own; or the first value of an order."""
        rng = self.rng
        form = rng.randint(0, 4)
        if form == 4:
            inner = self.query([kind], self.depth - 1)
            return f"(SELECT c0 FROM ({inner}) {self.name('x')} ORDER BY c0 LIMIT 1)"
        source, inner_columns = self.tied(columns, 0 if form == 0 else 1)
        having = " HAVING COUNT(*) > 1" if self.chance(0.15) else ""
        return f"(SELECT {self.aggregate(kind, inner_columns)} FROM {source}{having})"

    def tied(self, outer: Columns, share: float) -> tuple[str, Columns]:
        """FROM and WHERE of a subquery, tied to the outer columns in that share of draws; and its own columns."""
        before = self.depth
        self.depth -= 1
        is_in_on = outer and self.chance(0.3 * share)
        source, columns = self.tied_in_on(outer) if is_in_on else self.from_(self.depth)
        conditions = []
        if outer and self.chance(share):
            conditions += [self.tie(columns, outer) for _ in range(self.rng.choice((1, 1, 2)))]
        if self.chance(0.3):
            conditions.append(self.condition(columns, nests=True))
        self.depth = before
        return source + (f" WHERE {' AND '.join(conditions)}" if conditions else ""), columns

    def tie(self, inner: Columns, outer: Columns) -> str:
        """A condition between the two."""
        rng = self.rng
        pairs = [(a, b) for a, kind in inner for b, other in outer if kind == other]
        if not pairs or self.chance(0.1):
            borrowed = [rng.choice(outer)]
            return self.condition([*inner, *borrowed], 1)
        one, other = rng.choice(pairs)
        if self.chance(0.25):
            return f"{one} {rng.choice(COMPARISONS)} {other}"
        return f"{one} {'<=>' if self.chance(0.2) else '='} {other}"
