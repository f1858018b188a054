"""Random expressions: values, conditions of three-valued logic, aggregates.

Hypothesis can stand in for the random numbers, and then shrinks them towards 0 and the first choice: so `chance` is
false at 0, and the plainest choice comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from streamtables.testing.random_tables import NUMBERS, VALUES, Table, literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

T = TypeVar("T")
Columns = list[tuple[str, str]]
"""What an expression may read: columns as written, with their types."""

COMPARISONS = ("=", "<", "<=", "<>", "<=>", ">", ">=")


@dataclass
class Expressions:
    """Draws expressions; `leaves` bounds how many tables the whole query reads, `depth` how deep it still may go."""

    rng: Random
    tables: Sequence[Table]
    leaves: int = 6
    depth: int = 0
    ctes: list[Table] = field(default_factory=list)
    _names: int = 0

    def chance(self, share: float) -> bool:
        """True in that share of all draws."""
        return self.rng.random() >= 1 - share

    def kinds(self, most: int = 3) -> list[str]:
        """Types of one or more columns, those of the tables."""
        found = list(dict.fromkeys(kind for table in self.tables for _, kind in table.columns))
        return [self.rng.choice(found) for _ in range(self.rng.randint(1, most))]

    def name(self, letter: str) -> str:
        """A name that no other item of the query has."""
        self._names += 1
        return f"{letter}{self._names}"

    def has_room(self) -> bool:
        """Whether the query may still grow."""
        return self.depth > 0 and self.leaves > 0

    def may_nest(self) -> bool:
        """Whether an expression may hold a subquery: FROM is drawn first, and shall not leave none for them."""
        return self.depth >= 0 and self.leaves > -2

    def predicate(self, columns: Columns, *, is_known: bool) -> str:
        """A condition that holds a subquery over rows with these columns; with `is_known`, one that is never NULL."""
        raise NotImplementedError

    def scalar(self, kind: str, columns: Columns) -> str:
        """A subquery in parentheses that is one value."""
        raise NotImplementedError

    def condition(
        self, columns: Columns, depth: int = 2, *, nests: bool = False, is_known: bool = False
    ) -> str:
        """A condition of three-valued logic; with `nests`, subqueries may stand anywhere in it.

        With `is_known` none of these is NULL, since it matters there whether one is NULL or false.
        """
        if depth > 0 and self.chance(0.3):
            form = self.rng.choice(("{} AND {}", "{} OR {}", "NOT ({})", "CASE"))
            is_known = is_known or form == "CASE"
            one, other = (
                self.condition(columns, depth - 1, nests=nests, is_known=is_known) for _ in range(2)
            )
            if form == "CASE":
                return f"CASE WHEN {one} THEN {other} ELSE {self._comparison(columns)} END"
            return f"({form.format(one, other)})"
        if nests and self.may_nest() and self.chance(0.35):
            return self.predicate(columns, is_known=is_known)
        return self._comparison(columns)

    def _comparison(self, columns: Columns) -> str:
        rng = self.rng
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

    def value(self, kind: str, columns: Columns, depth: int = 2, *, nests: bool = False) -> str:
        """An expression of a type; with `nests`, subqueries may stand anywhere in it."""
        fitting = [column for column, other in columns if other == kind]
        if depth > 0 and self.chance(0.2):
            return self._computed(kind, columns, depth - 1, nests=nests)
        if nests and self.may_nest() and self.chance(0.05):
            return self.scalar(kind, columns)
        if fitting and not self.chance(0.1):
            return self.rng.choice(fitting)
        return literal(self.rng.choice(VALUES[kind]) if not self.chance(0.1) else "NULL", kind)

    def _computed(self, kind: str, columns: Columns, depth: int, *, nests: bool) -> str:
        one, other = (self.value(kind, columns, depth, nests=nests) for _ in range(2))
        forms = [f"coalesce({one}, {other})"]
        if kind in NUMBERS:
            forms += [f"({one} + {other})", f"({one} - {other})"]
        if kind == "string":
            forms += [f"({one} || {other})", f"upper({one})"]
        condition = self.condition(columns, 1, nests=nests, is_known=True)
        if kind == "boolean":
            forms.append(f"({condition})")
        return self.rng.choice((*forms, f"CASE WHEN {condition} THEN {one} ELSE {other} END"))

    def aggregate(self, kind: str, columns: Columns) -> str:
        """An aggregate of a type, in any of its forms. Sums of floats depend on the order of rows: none is drawn."""
        rng = self.rng
        sums = kind in NUMBERS and kind != "double"
        counts = ("COUNT", "SUM") if kind in ("int", "bigint") else ("SUM",) if sums else ()
        function = rng.choice((*counts, "MIN", "MAX"))
        distinct = "DISTINCT " if self.chance(0.2) else ""
        if function == "COUNT" and not self.chance(0.6):
            call = "COUNT(*)"
        elif function == "COUNT":
            call = f"COUNT({distinct}{self.value(rng.choice(columns)[1], columns)})"
        else:
            call = f"{function}({distinct}{self.value(kind, columns)})"
        if self.chance(0.2):
            call += f" FILTER (WHERE {self.condition(columns)})"
        if kind == "int" and self.chance(0.1):
            return f"CASE WHEN AVG({self.value('int', columns)}) > 1 THEN {call} ELSE 0 END"
        return call
