"""Random window functions whose answer is a function of the data alone.

Ranks and totals are the same for all rows that the order does not tell apart. ROW_NUMBER, LAG, LEAD, first_value and
frames of ROWS would not be: they come with an order over all columns, and then such rows are equal. But no two of
them in one SELECT, since these could tell equal rows apart in different ways.
"""

from __future__ import annotations

from helpers.random_from import Froms
from helpers.random_values import COMPARISONS, Columns

from streamtables.testing.random_tables import NUMBERS

FRAME = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"


class Windows(Froms):
    """Draws window functions."""

    def window(self, kind: str, columns: Columns, *, counts: bool = False) -> str:
        """A window call of a type; with `counts`, maybe one that tells equal rows apart."""
        rng = self.rng
        forms = ["MIN", "MAX", *(("LAG", "LEAD", "first_value") if counts else ())]
        if kind in NUMBERS and kind != "double":
            forms.insert(0, "SUM")
        if kind in ("int", "bigint"):
            forms = ["COUNT", "RANK", "DENSE_RANK", *forms, *(["ROW_NUMBER"] if counts else [])]
        form = rng.choice(forms)
        parts = f"PARTITION BY {self._keys(columns)}" if not self.chance(0.4) else ""
        if form in ("RANK", "DENSE_RANK", "ROW_NUMBER"):
            order = self._all(columns) if form == "ROW_NUMBER" else self._keys(columns)
            return f"{form}() OVER ({parts} ORDER BY {order})".replace("( ", "(")
        value = self.value(kind, columns, 1)
        if form in ("LAG", "LEAD", "first_value"):
            return f"{form}({value}) OVER ({parts} ORDER BY {self._all(columns)})".replace(
                "( ", "("
            )
        call = (
            f"COUNT({rng.choice(('*', rng.choice(columns)[0]))})"
            if form == "COUNT"
            else f"{form}({value})"
        )
        order = self._order(columns, counts=counts)
        return f"{call} OVER ({parts}{order})".replace("( ", "(")

    def qualify(self, columns: Columns, *, counts: bool) -> str:
        """A condition for QUALIFY."""
        call = self.window("int", columns, counts=counts)
        condition = f"{call} {self.rng.choice(COMPARISONS)} {self.rng.randint(1, 3)}"
        return f"{condition} OR {self.condition(columns, 1)}" if self.chance(0.2) else condition

    def _order(self, columns: Columns, *, counts: bool) -> str:
        if not self.chance(0.5):
            return ""
        if counts and self.chance(0.3):
            return f" ORDER BY {self._all(columns)} {FRAME}"
        return f" ORDER BY {self._keys(columns)}"

    def _keys(self, columns: Columns) -> str:
        count = self.rng.choice((1, 1, 2))
        return ", ".join(self.rng.choice(columns)[0] for _ in range(count))

    def _all(self, columns: Columns) -> str:
        return ", ".join(f"{column}{' DESC' if self.chance(0.2) else ''}" for column, _ in columns)
