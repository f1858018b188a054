"""Random SELECTs: plain, grouped, with grouping sets, windows, DISTINCT and ORDER BY … LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.random_values import COMPARISONS, Columns
from helpers.random_windows import Windows

from streamtables.testing.random_tables import NUMBERS, VALUES

if TYPE_CHECKING:
    from collections.abc import Sequence


class Selects(Windows):
    """Draws SELECTs."""

    def select(self, kinds: Sequence[str], depth: int) -> str:
        """A SELECT whose columns have the given types and are named c0, c1, …"""
        source, columns = self.from_(depth)
        if self.chance(0.4):
            source += f" WHERE {self.condition(columns, nests=True)}"
        if self.chance(0.35):
            if self.chance(0.2):
                return self._sets(kinds, source, columns)
            return self._grouped(kinds, source, columns)
        if self.chance(0.15):
            return self._windowed(kinds, source, columns)
        distinct = "DISTINCT " if self.chance(0.15) else ""
        items = [self.value(kind, columns, nests=True) for kind in kinds]
        return f"SELECT {distinct}{_listed(items)} FROM {source}"

    def limited(self, query: str, kinds: Sequence[str]) -> str:
        """Some rows of a query, in an order that leaves no choice."""
        keys = [f"c{i}{' DESC' if self.chance(0.3) else ''}" for i in range(len(kinds))]
        offset = f" OFFSET {self.rng.randint(1, 2)}" if self.chance(0.3) else ""
        limit = f" LIMIT {self.rng.randint(1, 4)}" if not offset or not self.chance(0.3) else ""
        return f"{query} ORDER BY {', '.join(keys)}{limit}{offset}"

    def _windowed(self, kinds: Sequence[str], source: str, columns: Columns) -> str:
        counting = self.rng.randint(0, len(kinds))
        items = [
            self.window(kind, columns, counts=i == counting)
            if not self.chance(0.4)
            else self.value(kind, columns)
            for i, kind in enumerate(kinds)
        ]
        is_free = counting == len(kinds)
        qualify = f" QUALIFY {self.qualify(columns, counts=is_free)}" if self.chance(0.25) else ""
        return f"SELECT {_listed(items)} FROM {source}{qualify}"

    def _grouped(self, kinds: Sequence[str], source: str, columns: Columns) -> str:
        keys, items, is_counted = [], [], False
        for kind in kinds:
            if not self.chance(0.5):
                items.append(self.value(kind, columns))
                keys.append(items[-1])
            else:
                items.append(self.aggregate(kind, columns))
                is_counted = True
        if self.chance(0.15):
            keys.append(self.value(self.rng.choice(columns)[1], columns))
        # A constant groups nothing, and GROUP BY 1 would mean the first column.
        keys = [key for key in dict.fromkeys(keys) if any(column in key for column, _ in columns)]
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        is_needed = not keys and not is_counted
        having = f" HAVING {self._having(columns)}" if is_needed or self.chance(0.25) else ""
        if keys and self.chance(0.1):
            items = [
                self._over_groups(kind, item, keys, columns)
                for kind, item in zip(kinds, items, strict=True)
            ]
        return f"SELECT {_listed(items)} FROM {source}{group}{having}"

    def _over_groups(self, kind: str, item: str, keys: Sequence[str], columns: Columns) -> str:
        """A window over the groups instead of an item, where its type has one."""
        parts = f"PARTITION BY {self.rng.choice(keys)}" if self.chance(0.5) else ""
        if kind in ("int", "bigint"):
            order = self.aggregate("int", columns)
            return f"RANK() OVER ({parts} ORDER BY {order})".replace("( ", "(")
        if kind in NUMBERS and kind != "double":
            return f"SUM({self.aggregate(kind, columns)}) OVER ({parts})"
        return item

    def _sets(self, kinds: Sequence[str], source: str, columns: Columns) -> str:
        """ROLLUP, CUBE or GROUPING SETS over columns. Over no rows DuckDB would give a total, and Spark gives none."""
        rng = self.rng
        keys = list(dict.fromkeys(rng.choice(columns) for _ in range(rng.randint(1, 3))))
        names = [column for column, _ in keys]
        items = []
        for kind in kinds:
            fitting = [column for column, other in keys if other == kind]
            if fitting and not self.chance(0.4):
                items.append(rng.choice(fitting))
            elif kind in ("int", "bigint") and self.chance(0.3):
                items.append(f"GROUPING({rng.choice(names)})")
            else:
                items.append(self.aggregate(kind, columns))
        group = self._set_list(names)
        having = f" HAVING {self._having(columns)}" if self.chance(0.2) else ""
        return f"SELECT {_listed(items)} FROM {source} GROUP BY {group}{having}"

    def _set_list(self, names: list[str]) -> str:
        form = self.rng.randint(0, 3)
        if form <= 1:
            return f"{('ROLLUP', 'CUBE')[form]} ({', '.join(names)})"
        if form == 2 and len(names) > 1:
            return f"{names[0]}, ROLLUP ({', '.join(names[1:])})"
        chosen = [
            [name for name in names if not self.chance(0.5)] for _ in range(self.rng.randint(1, 3))
        ]
        # Every key must be in some set.
        sets = [names, *chosen]
        return f"GROUPING SETS ({', '.join(map(_parenthesised, sets))})"

    def _having(self, columns: Columns) -> str:
        kind = self.rng.choice(columns)[1]
        is_nested = self.has_room() and self.chance(0.1)
        compared = self.scalar(kind, []) if is_nested else self.rng.choice(VALUES[kind])
        return f"{self.aggregate(kind, columns)} {self.rng.choice(COMPARISONS)} {compared}"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))


def _parenthesised(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"
