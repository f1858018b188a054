"""Rows against the data checks of a table: flagged by each that they fail, counted, and left out where one says so.

A condition is the analyst's own text, evaluated by Spark over rows under the table's column names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
from pyspark.sql import functions as f

from streamtables.checks import MOST_EXAMPLES, OnMismatch, Tally
from streamtables.plan.nodes import WEIGHT
from streamtables.spark.relations import Relation, materialise

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import StreamTable


class Checking:
    """Applies a table's checks to its rows, and keeps what they found."""

    def __init__(self, spark: SparkSession, table: StreamTable) -> None:
        self._spark, self._checks = spark, table.checks
        self._fields = [column.name for column in table.columns]
        self._flags = [f"_fails_{number}" for number in range(len(table.checks))]
        self._drops = [
            flag
            for flag, check in zip(self._flags, table.checks, strict=True)
            if check.on_mismatch is OnMismatch.DROP
        ]
        self._held: list[Relation] = []
        self.found: tuple[Tally, ...] = ()

    def answer(self, frame: DataFrame) -> DataFrame:
        """All rows of an answer, columns by position, but those that are left out."""
        if not self._checks:
            return frame
        names = list(frame.columns)
        flagged = self._flagged(frame, names, []).persist()
        self._held.append(Relation(flagged, -1, None))
        self._tally(flagged, names, f.lit(1))
        return self._kept(flagged).select(*map(_quoted, names))

    def change(self, change: Relation, names: Sequence[str]) -> Relation:
        """A change but the rows that are left out: neither would they come, nor were they there to go.

        A check is a function of the row, so a filter of the change is the change of the filter.
        """
        if not self._checks or (change.local is not None and not change.local.num_rows):
            return change
        frame = self._flagged(change.frame, names, [WEIGHT])
        flagged = materialise(self._spark, frame, is_small=change.local is not None)
        self._held += [change, flagged]
        if flagged.local is None:
            coming = f.when(f.col(WEIGHT) > 0, f.col(WEIGHT)).otherwise(0)
            self._tally(flagged.frame, names, coming)
            kept = self._kept(flagged.frame).select(*map(_quoted, names), WEIGHT)
            return Relation(kept, -1, None)
        rows = flagged.local
        self._tally_here(rows, names)
        for flag in self._drops:
            rows = rows.filter(pc.invert(rows.column(flag)))
        return flagged.rows_of(rows.select([*names, WEIGHT]))

    def close(self) -> None:
        """Let go of the rows."""
        for relation in self._held:
            relation.release()

    def _flagged(self, frame: DataFrame, names: Sequence[str], more: list[str]) -> DataFrame:
        """With a column for each check: whether the row fails it."""
        fails = (
            (~f.coalesce(f.expr(check.condition), f.lit(False))).alias(flag)
            for check, flag in zip(self._checks, self._flags, strict=True)
        )
        fields = frame.select(*map(_quoted, names), *more).toDF(*self._fields, *more)
        return fields.select("*", *fails).toDF(*names, *more, *self._flags)

    def _kept(self, flagged: DataFrame) -> DataFrame:
        for flag in self._drops:
            flagged = flagged.where(~f.col(flag))
        return flagged

    def _tally_here(self, rows: pa.Table, names: Sequence[str]) -> None:
        coming = rows.filter(pc.greater(rows.column(WEIGHT), 0))
        told = []
        for check, flag in zip(self._checks, self._flags, strict=True):
            failing = coming.filter(coming.column(flag))
            few = failing.select(list(names)).slice(0, MOST_EXAMPLES).to_pylist()
            examples = tuple(dict(zip(self._fields, row.values(), strict=True)) for row in few)
            told.append(Tally(check, int(pc.sum(failing.column(WEIGHT)).as_py() or 0), examples))
        self.found = tuple(told)

    def _tally(self, flagged: DataFrame, names: Sequence[str], copies: Any) -> None:
        sums = [f.sum(f.when(f.col(flag), copies).otherwise(0)) for flag in self._flags]
        counts = [int(count or 0) for count in flagged.agg(*sums).collect()[0]]
        told = []
        for check, flag, count in zip(self._checks, self._flags, counts, strict=True):
            rows = flagged.where(f.col(flag) & (copies > 0)).select(*map(_quoted, names))
            few = rows.take(MOST_EXAMPLES) if count else []
            examples = tuple(dict(zip(self._fields, row, strict=True)) for row in few)
            told.append(Tally(check, count, examples))
        self.found = tuple(told)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
