"""What is kept of a stream table's groups or rows: read, moved with a refresh, made anew."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamtables.errors import NegativeCount
from streamtables.plan import nodes as n
from streamtables.plan.tally import branches, is_counting
from streamtables.plan.top import kept_core
from streamtables.spark.commit import SparkChanges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from streamtables.model import Frontier, Window
    from streamtables.plan.delta import Delta
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation
    from streamtables.spark.state import StateTable
    from streamtables.spark.work import SparkWork
    from streamtables.sql.compile import Compiled


class Kept:
    """What one refresh does with what is kept; `work` computes and writes for it."""

    def __init__(
        self,
        work: SparkWork,
        spark: SparkSession,
        compiled: Compiled,
        windows: Mapping[str, Window],
        state: StateTable,
    ) -> None:
        self._work, self._spark, self._compiled = work, spark, compiled
        self._windows, self._state = windows, state
        self._changes: SparkChanges | None = None
        self._all: pa.Table | None = None
        """All that is to be kept, where the refresh came upon all that was."""
        self.made_s = 0.0
        """Seconds that it took to make it anew, or to follow it beside a recomputed table."""

    @property
    def log(self) -> DeltaLog | None:
        """The log of the table that holds it, if it was ever made."""
        return self._state.log

    def types(self) -> Mapping[str, str] | None:
        """The types of its columns, if it stands where this refresh starts."""
        return self._state.types({key: window.since for key, window in self._windows.items()})

    def derive(self, delta: Delta, relations: Mapping[str, Relation]) -> None:
        """Compute how it changes; a count below zero proves a fault."""
        assert delta.state is not None
        assert delta.kept is not None
        for name in delta.counts:
            least = relations[delta.kept.name].least(name)
            if least is not None and least < 0:
                raise NegativeCount(
                    f"A count of rows would be {least}",
                    hint="Nothing was written. Refresh it in full, and please report this query.",
                )
        assert delta.before is not None
        assert delta.left is not None
        assert self.log is not None
        relation = self._work.run(delta.state)
        names = tuple(name for name in delta.state.columns if name != n.WEIGHT)
        counts = relation.weights(n.WEIGHT)
        assert self._compiled.kept is not None
        self._changes = SparkChanges(relation, names, self._compiled.kept.keys, None, *counts)
        if relations[delta.before.name].row_count == self.log.row_count():
            self._all = self._work.run(delta.left).local

    def write(self, frontier: Frontier, *, is_same: bool, is_worth: bool) -> None:
        """Bring it to a frontier: by its change, as it is, or made anew if that `is_worth` it."""
        log = self._state.log
        if self._changes is not None and log is not None:
            self._move(self._changes, log, frontier)
        elif is_same and self.types() is not None:
            self._state.stay(self._spark, frontier)
        elif is_worth and not is_same:
            self._make(frontier)

    def _move(self, changes: SparkChanges, log: DeltaLog, frontier: Frontier) -> None:
        if not (changes.rows_inserted or changes.rows_deleted):
            self._state.stay(self._spark, frontier)
        elif self._all is None or not self._state.replace(self._spark, self._all, frontier):
            writer = self._work.writer("the state", log.metadata().columns, log)
            writer.write(changes, self._state.stamp(frontier))

    def _make(self, frontier: Frontier) -> None:
        kept, plan = self._compiled.kept, self._compiled.plan
        assert kept is not None
        assert plan is not None
        core, begun = kept_core(plan), time.perf_counter()
        if is_counting(core) and not self._are_alike(branches(core)):
            return
        rows = self._work.frame(kept)
        if any(_cannot_be_stored(field.dataType.simpleString()) for field in rows.schema.fields):
            return
        self._state.make(self._spark, rows, frontier)
        self.made_s = time.perf_counter() - begun

    def _are_alike(self, plans: Sequence[n.Node]) -> bool:
        """Whether plans have the same types: else values that differ in one may be equal in another's."""
        types = {tuple(f.dataType for f in self._work.frame(p).schema.fields) for p in plans}
        return len(types) == 1


def _cannot_be_stored(type_name: str) -> bool:
    """Whether a table cannot have the type: such a key may be hidden from the stream table, which shows all it has."""
    return any(word in type_name for word in ("interval", "void"))
