"""The sums that a stream table's groups follow from, kept on DuckDB as streamtables.spark.kept does on Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.rules.stateful import derive_with_state
from streamtables.sql.algebraic import ROWS
from streamtables.testing.bags import Row, bag
from streamtables.testing.translate import fetched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from streamtables.plan.delta import Delta
    from streamtables.sql.compile import Compiled


class Sums:
    """The table `state`, and the change that follows from it."""

    def __init__(
        self,
        compiled: Compiled,
        fields: Sequence[str],
        run: Callable[[str], duckdb.DuckDBPyConnection],
        text: Callable[[n.Node], str],
    ) -> None:
        assert compiled.sums is not None
        self._compiled, self._fields, self._run, self._text = compiled, fields, run, text
        self._run(f"CREATE TEMP TABLE state AS {text(compiled.sums)}")
        described = self._run("DESCRIBE state").fetchall()
        self._types = {row[0]: row[1].replace("HUGEINT", "decimal(38,0)") for row in described}
        self._scripts: dict[frozenset[str], tuple[Delta, list[tuple[str, str]]]] = {}

    def change(self, touched: frozenset[str]) -> Counter[Row]:
        """The change of the answer; the sums are moved along."""
        if not touched:
            return Counter()
        delta, script = self._script(touched)
        for table, text in script:
            self._run(f"CREATE OR REPLACE TEMP TABLE {table} AS {text}")
        assert delta.sums is not None
        below = self._run(f"SELECT * FROM {delta.sums.name} WHERE {ROWS} < 0").fetchall()
        assert not below, "a group has fewer rows than none"
        self._move()
        rows = fetched(self._run("SELECT * FROM change"))
        return Counter({row: weight for *values, weight in rows for row in bag([values])})

    def _script(self, touched: frozenset[str]) -> tuple[Delta, list[tuple[str, str]]]:
        if touched not in self._scripts:
            algebra, plan = self._compiled.algebra, self._compiled.plan
            assert algebra is not None
            assert plan is not None
            items = algebra.items(self._types)
            delta = derive_with_state(plan, touched, self._fields, algebra.moved, items)
            assert delta is not None
            assert delta.state is not None
            stages = [(stage.step.name, self._text(stage.plan)) for stage in delta.stages]
            last = [("change", self._text(delta.changes)), ("kept", self._text(delta.state))]
            self._scripts[touched] = delta, [*stages, *last]
        return self._scripts[touched]

    def _move(self) -> None:
        keys = self._compiled.state_keys
        same = " AND ".join(f'state."{key}" IS NOT DISTINCT FROM kept."{key}"' for key in keys)
        self._run(
            f"DELETE FROM state WHERE EXISTS (SELECT 1 FROM kept WHERE {n.WEIGHT} < 0 AND {same or 'TRUE'})"
        )
        columns = ", ".join(f'"{name}"' for name in self._types)
        self._run(f"INSERT INTO state SELECT {columns} FROM kept WHERE {n.WEIGHT} > 0")
