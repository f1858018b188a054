"""The sums of a stream table's groups: read, moved with a refresh, made anew."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamtables.errors import NegativeCount
from streamtables.plan import nodes as n
from streamtables.spark.commit import SparkChanges
from streamtables.sql.algebraic import ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from streamtables.model import Frontier, Window
    from streamtables.plan.delta import Delta
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation
    from streamtables.spark.state import StateTable
    from streamtables.spark.work import SparkWork
    from streamtables.sql.compile import Compiled


class Kept:
    """What one refresh does with the sums; `work` computes and writes for it."""

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
        self.made_s = 0.0
        """Seconds that it took to make the sums anew."""

    @property
    def log(self) -> DeltaLog | None:
        """The log of the table that holds them, if it was ever made."""
        return self._state.log

    def types(self) -> Mapping[str, str] | None:
        """The types of the sums, if they stand where this refresh starts."""
        since = {key: window.since for key, window in self._windows.items()}
        columns = self._state.columns(since)
        return {column.name: column.type for column in columns} if columns else None

    def derive(self, delta: Delta, relations: Mapping[str, Relation]) -> None:
        """Compute how the sums change; a group of fewer rows than none proves a fault."""
        assert delta.state is not None
        assert delta.sums is not None
        least = relations[delta.sums.name].least(ROWS)
        if least is not None and least < 0:
            raise NegativeCount(
                f"A group would have {least} rows",
                hint="Nothing was written. Refresh it in full, and please report this query.",
            )
        relation = self._work.run(delta.state)
        names = tuple(name for name in delta.state.columns if name != n.WEIGHT)
        counts = relation.weights(n.WEIGHT)
        self._changes = SparkChanges(relation, names, self._compiled.state_keys, None, *counts)

    def write(self, frontier: Frontier, *, is_same: bool, is_worth: bool) -> None:
        """Bring the sums to a frontier: by their change, as they are, or made anew if that `is_worth` it."""
        log = self._state.log
        if self._changes is not None and log is not None:
            if self._changes.rows_inserted or self._changes.rows_deleted:
                columns, stamp = log.metadata().columns, self._state.stamp(frontier)
                self._work.writer("the state", columns, log).write(self._changes, stamp)
            else:
                self._state.stay(self._spark, frontier)
        elif is_same and self.types() is not None:
            self._state.stay(self._spark, frontier)
        elif is_worth and not is_same:
            self._make(frontier)

    def _make(self, frontier: Frontier) -> None:
        sums = self._compiled.sums
        assert sums is not None
        begun = time.perf_counter()
        self._state.make(self._spark, self._work.frame(sums), frontier)
        self.made_s = time.perf_counter() - begun
