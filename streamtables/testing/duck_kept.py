"""What is kept beside a stream table, on DuckDB as streamtables.spark.kept does it on Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamtables.plan import nodes as n
from streamtables.plan.tally import branches, is_counting
from streamtables.plan.top import kept_core
from streamtables.rules.stateful import derive_with_state
from streamtables.testing.bags import Row, bag
from streamtables.testing.translate import fetched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from streamtables.plan.delta import Delta
    from streamtables.sql.compile import Compiled


class Kept:
    """The table `state`, and the change that follows from it."""

    def __init__(
        self,
        compiled: Compiled,
        fields: Sequence[str],
        run: Callable[[str], duckdb.DuckDBPyConnection],
        text: Callable[[n.Node], str],
    ) -> None:
        assert compiled.kept is not None
        self._compiled, self._kept = compiled, compiled.kept
        self._fields, self._run, self._text = fields, run, text
        self._run(f"CREATE TEMP TABLE state AS {text(compiled.kept)}")
        described = self._run("DESCRIBE state").fetchall()
        self._types = {row[0]: row[1].replace("HUGEINT", "decimal(38,0)") for row in described}
        self._scripts: dict[frozenset[str], tuple[Delta, list[tuple[str, str]]]] = {}

    @classmethod
    def made(
        cls,
        compiled: Compiled,
        fields: Sequence[str],
        run: Callable[[str], duckdb.DuckDBPyConnection],
        text: Callable[[n.Node], str],
    ) -> Kept | None:
        """The state, or None where nothing is kept, or branches of set operators differ in types, as on Spark."""
        if compiled.kept is None or compiled.plan is None:
            return None
        core = kept_core(compiled.plan)
        if is_counting(core):
            described = (run(f"DESCRIBE {text(branch)}").fetchall() for branch in branches(core))
            if len({tuple(row[1] for row in rows) for rows in described}) > 1:
                return None
        return cls(compiled, fields, run, text)

    def change(self, touched: frozenset[str]) -> Counter[Row]:
        """The change of the answer; the state is moved along."""
        if not touched:
            return Counter()
        delta, script = self._script(touched)
        for table, text in script:
            self._run(f"CREATE OR REPLACE TEMP TABLE {table} AS {text}")
        assert delta.kept is not None
        for name in delta.counts:
            below = self._run(f'SELECT * FROM {delta.kept.name} WHERE "{name}" < 0').fetchall()
            assert not below, f"a count is below zero: {below}"
        self._move()
        rows = fetched(self._run("SELECT * FROM change"))
        change = {row: weight for *values, weight in rows for row in bag([values])}
        assert len(change) == len(rows), "a row of the change occurs twice"
        return Counter(change)

    def _script(self, touched: frozenset[str]) -> tuple[Delta, list[tuple[str, str]]]:
        if touched not in self._scripts:
            plan, algebra = self._compiled.plan, self._compiled.algebra
            assert plan is not None
            delta = derive_with_state(plan, touched, self._fields, algebra, self._types)
            assert delta is not None
            assert delta.state is not None
            stages = [(stage.step.name, self._text(stage.plan)) for stage in delta.stages]
            last = [("change", self._text(delta.changes)), ("kept", self._text(delta.state))]
            self._scripts[touched] = delta, [*stages, *last]
        return self._scripts[touched]

    def _move(self) -> None:
        same = " AND ".join(
            f'state."{key}" IS NOT DISTINCT FROM kept."{key}"' for key in self._kept.keys
        )
        self._run(
            f"DELETE FROM state WHERE EXISTS (SELECT 1 FROM kept WHERE {n.WEIGHT} < 0 AND {same or 'TRUE'})"
        )
        columns = ", ".join(f'"{name}"' for name in self._types)
        self._run(f"INSERT INTO state SELECT {columns} FROM kept WHERE {n.WEIGHT} > 0")
