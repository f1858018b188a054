"""Random FROM clauses: tables, derived tables, CTEs, VALUES, recursions, generators, and every kind of join.

LATERAL VIEW OUTER and posexplode are left out: sqlglot has no words for them in DuckDB.
"""

from __future__ import annotations

from helpers.random_subqueries import Subqueries
from helpers.random_values import COMPARISONS, Columns

from streamtables.testing.random_tables import VALUES, Table, literal

OUTER = ("LEFT", "RIGHT", "FULL")
KEEPING = ("LEFT SEMI", "LEFT ANTI")


class Froms(Subqueries):
    """Draws FROM clauses."""

    def from_(self, depth: int) -> tuple[str, Columns]:
        """One to four inputs, joined; and their columns."""
        text, columns = self._input(depth)
        count = self.rng.choice((0, 0, 1, 1, 2, 3))
        for i in range(count):
            if self.leaves <= 0:
                break
            # A subquery in ON has no rule below an outer join: the last one may have it.
            text, columns = self._joined(text, columns, depth, nests=i == count - 1)
        if self.chance(0.06):
            text, columns = self._exploded(text, columns)
        return text, columns

    def _joined(
        self, text: str, before: Columns, depth: int, *, nests: bool
    ) -> tuple[str, Columns]:
        if self.has_room() and self.chance(0.08):
            return self._lateral(text, before)
        source, more = self._input(depth)
        columns = [*before, *more]
        word = self.rng.choice(("", "", "", "LEFT", *OUTER, *KEEPING))
        pair = self._equality(before, more)
        if pair and not self.chance(0.2):
            on = pair + (f" AND {self.condition(columns)}" if self.chance(0.3) else "")
        elif word or self.chance(0.5):
            on = self.condition(columns, nests=nests and not word)
        else:
            return f"{text} CROSS JOIN {source}", columns
        if word in KEEPING:
            columns = before
        return f"{text} {word} JOIN {source} ON {on}".replace("  ", " "), columns

    def _lateral(self, text: str, before: Columns) -> tuple[str, Columns]:
        """A subquery that is computed for each row before it."""
        kinds, alias = self.kinds(2), self.name("x")
        source, inner = self.tied(before, 1)
        if self.chance(0.3):
            items = [self.value(kind, inner) for kind in kinds]
            group = ""
        else:
            items = [self.aggregate(kind, inner) for kind in kinds]
            group = f" GROUP BY {self.rng.choice(inner)[0]}" if self.chance(0.3) else ""
        listed = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))
        more = [(f"{alias}.c{i}", kind) for i, kind in enumerate(kinds)]
        word, on = ("LEFT", " ON TRUE") if self.chance(0.4) else ("CROSS", "")
        if word == "LEFT" and self.chance(0.3):
            on = f" ON {self.condition([*before, *more])}"
        query = f"SELECT {listed} FROM {source}{group}"
        return f"{text} {word} JOIN LATERAL ({query}) {alias}{on}", [*before, *more]

    def _exploded(self, text: str, before: Columns) -> tuple[str, Columns]:
        """A row for each part of an array that a row makes."""
        kind, alias = self.rng.choice(before)[1], self.name("x")
        parts = [self.value(kind, before, 1) for _ in range(self.rng.randint(1, 3))]
        view = f"LATERAL VIEW explode(array({', '.join(parts)})) {alias} AS c0"
        # Whatever follows a LATERAL VIEW would have to be one too: the rows become a derived table.
        columns = [*before, (f"{alias}.c0", kind)]
        return self._derived(f"{text} {view}", columns)

    def _derived(self, source: str, columns: Columns) -> tuple[str, Columns]:
        alias = self.name("x")
        items = ", ".join(f"{column} AS c{i}" for i, (column, _) in enumerate(columns))
        more = [(f"{alias}.c{i}", kind) for i, (_, kind) in enumerate(columns)]
        return f"(SELECT {items} FROM {source}) {alias}", more

    def _input(self, depth: int) -> tuple[str, Columns]:
        if depth > 0 and self.leaves > 1 and self.chance(0.35):
            kinds, alias = self.kinds(), self.name("x")
            inner = self.query(kinds, depth - 1)
            return f"({inner}) {alias}", [(f"{alias}.c{i}", kind) for i, kind in enumerate(kinds)]
        if self.chance(0.2):
            return self.rng.choice((self._values, self._using, self._using, self._recursion))()
        text, columns, _ = self._table()
        return text, columns

    def _table(self) -> tuple[str, Columns, Table]:
        self.leaves -= 1
        # A CTE is there to be read, more than once if it can be.
        ctes = {table.name: table for table in self.ctes}.values()
        table = self.rng.choice((*ctes, *ctes, *self.tables))
        alias = self.name("x")
        columns = [(f"{alias}.{name}", kind) for name, kind in table.columns]
        return f"{table.name} {alias}", columns, table

    def _values(self) -> tuple[str, Columns]:
        self.leaves -= 1
        kinds, alias = self.kinds(2), self.name("x")
        if (
            "double" in kinds
        ):  # to the rules all columns may then be floats, whose sums have a form of their own
            kinds = ["double" for _ in kinds]
        rows = [
            [
                self.rng.choice(VALUES[kind]) if i == 0 or not self.chance(0.2) else "NULL"
                for kind in kinds
            ]
            for i in range(self.rng.randint(1, 3))
        ]
        written = ", ".join(
            f"({', '.join(literal(value, kind) for value, kind in zip(row, kinds, strict=True))})"
            for row in rows
        )
        names = [f"c{i}" for i in range(len(kinds))]
        columns = [(f"{alias}.{name}", kind) for name, kind in zip(names, kinds, strict=True)]
        return f"(VALUES {written}) AS {alias} ({', '.join(names)})", columns

    def _using(self) -> tuple[str, Columns]:
        """NATURAL and USING, the common columns written without a table."""
        (left, ours, one), (right, theirs, other) = self._table(), self._table()
        common = [name for name, kind in one.columns if (name, kind) in other.columns]
        clashes = {name for name, _ in one.columns} & {name for name, _ in other.columns}
        if not common:
            return self._derived(f"{left} CROSS JOIN {right}", [*ours, *theirs])
        word = self.rng.choice(("", *OUTER))
        chosen = common if self.chance(0.5) else common[:1]
        if clashes == set(common) and self.chance(0.4):
            source, chosen = f"{left} NATURAL {word} JOIN {right}", common
        else:
            source = f"{left} {word} JOIN {right} USING ({', '.join(chosen)})"
        shown = [(name, kind) for name, kind in one.columns if name in chosen]
        shown += [part for part in (*ours, *theirs) if part[0].split(".")[1] not in chosen]
        if self.chance(0.5):
            third, more, another = self._table()
            shared = [part for part in shown if part in another.columns]
            if (
                shared
                and {name for name, _ in shared} == set(chosen) & dict(another.columns).keys()
            ):
                names = ", ".join(name for name, _ in shared)
                source += f" {self.rng.choice(('', *OUTER))} JOIN {third} USING ({names})"
                shown += [part for part in more if part[0].split(".")[1] not in names.split(", ")]
        return self._derived(source.replace("  ", " "), shown)

    def tied_in_on(self, outer: Columns) -> tuple[str, Columns]:
        """Two inputs and an outer join of them that borrows in ON."""
        (left, before), (right, more) = self._input(0), self._input(0)
        columns = [*before, *more]
        on = f"{self._equality(before, more) or self.condition(columns)} AND {self.tie(columns, outer)}"
        return f"{left} {self.rng.choice(OUTER)} JOIN {right} ON {on}", columns

    def _recursion(self) -> tuple[str, Columns]:
        """Two steps from the rows of a table, along another one."""
        rows, inner, _ = self._stored()
        more, others, _ = self._stored()
        word, alias = self.name("r"), self.name("x")
        start, kind = self.rng.choice(inner)
        fitting = [column for column, other in others if other == kind]
        if not fitting:
            return self._derived(rows, inner)
        met = f"{word}.c0 {'<=>' if self.chance(0.2) else self.rng.choice(COMPARISONS[:2])} {fitting[0]}"
        step = f"SELECT {self.rng.choice(fitting)}, {word}.c1 + 1 FROM {word} JOIN {more} ON {met}"
        base = f"SELECT {start}, 0 FROM {rows}"
        both = f"{base} UNION ALL {step} WHERE {word}.c1 < 2"
        # Whatever a recursion carries may be a float to the rules, unless it is cast.
        items = f"CAST(c0 AS {kind.upper()}) AS c0, CAST(c1 AS INT) AS c1"
        text = f"(WITH RECURSIVE {word} (c0, c1) AS ({both}) SELECT {items} FROM {word}) {alias}"
        return text, [(f"{alias}.c0", kind), (f"{alias}.c1", "int")]

    def _stored(self) -> tuple[str, Columns, Table]:
        """A table, not a CTE: its columns have just the types that they are said to have."""
        ctes, self.ctes = self.ctes, []
        found = self._table()
        self.ctes = ctes
        return found

    def _equality(self, left: Columns, right: Columns) -> str | None:
        pairs = [(a, b) for a, kind in left for b, other in right if kind == other]
        if not pairs:
            return None
        one, other = self.rng.choice(pairs)
        return f"{one} {'<=>' if self.chance(0.2) else '='} {other}"
