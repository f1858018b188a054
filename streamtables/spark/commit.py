"""A computed change written to the stream table, in the cheapest way that is right.

few rows              their places are looked up, and hidden; new rows are a new file     (positions.py)
many, by key          all rows of the keys are replaced                                   (apply.py)
many, of a bag        all copies of the rows are replaced by those that stay              (apply.py)
nearly all            the answer is written anew, as it is where rows hold maps or variants, which none can name
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
from pyspark.sql import functions as f

from streamtables.errors import NegativeCount
from streamtables.plan import nodes as n
from streamtables.plan.settle import STORED, gone, settled
from streamtables.spark import places, positions
from streamtables.spark.apply import Rewrite, again_on_conflict, overwrite, write
from streamtables.spark.rows import copies, in_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import Column
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.relations import Relation
    from streamtables.spark.stamp import Stamp

CHANGE, GONE = "change", "gone"


@dataclass(frozen=True)
class SparkChanges:
    """A materialised change, or with `answer` all rows to write anew: nearly all change, or none can be named."""

    relation: Relation
    names: tuple[str, ...]
    key: tuple[str, ...] | None
    answer: DataFrame | None
    rows_inserted: int
    rows_deleted: int


class Writer:
    """Writes one change to one table; `run` computes a plan, `keep` gives a relation a name for plans."""

    def __init__(
        self,
        spark: SparkSession,
        name: str,
        columns: Sequence[Column],
        target: DeltaLog,
        run: Callable[[n.Node], Relation],
        keep: Callable[[str, Relation], None],
    ) -> None:
        self._spark, self._name, self._columns, self._target = spark, name, columns, target
        self._run, self._keep = run, keep
        self._fields = tuple(column.name for column in columns)

    def write(self, changes: SparkChanges, stamp: Stamp) -> int:
        """One commit; gives its version."""
        if changes.answer is not None:
            answer = in_columns(changes.answer, self._columns)
            return overwrite(self._spark, self._target.path, answer, stamp)
        if self._is_added_to(changes):
            return again_on_conflict(lambda: self._add(changes, stamp))
        return write(self._spark, self._target.path, self._rewrite(changes), stamp)

    def _is_added_to(self, changes: SparkChanges) -> bool:
        """Whether no file is written anew: no row is taken away, or they are few and can be hidden."""
        is_here = changes.relation.local is not None
        return not changes.rows_deleted or (is_here and positions.can_hide_rows(self._target))

    def _add(self, changes: SparkChanges, stamp: Stamp) -> int:
        version = self._target.latest()
        try:
            found = self._places(changes, version) if changes.rows_deleted else {}
        except NegativeCount:
            # The rows are not there any more where another process has committed this very refresh.
            if stamp.is_in(self._target):
                raise stamp.lost() from None
            raise
        coming = self._coming_here(changes) if changes.rows_inserted else None
        return positions.write(self._spark, self._target, version, found, coming, stamp)

    def _places(self, changes: SparkChanges, version: int) -> positions.Places:
        """Where the rows to take away are in a version."""
        assert changes.relation.local is not None
        taken = changes.relation.local.filter(pc.field(n.WEIGHT) < 0)
        fields = dict(zip(changes.names, self._fields, strict=True))
        names = changes.key or changes.names
        rows = taken.select(list(names)).rename_columns([fields[name] for name in names])
        found = positions.find(self._spark, self._target, version, rows)
        return positions.chosen(found, -taken.column(n.WEIGHT).to_numpy(), self._name)

    def _coming_here(self, changes: SparkChanges) -> DataFrame | list[Mapping[str, Any]]:
        """The rows to put in: as a file written here if they are here and plain, else as a frame."""
        if changes.relation.local is None:
            return self._coming(changes)
        rows = changes.relation.local.filter(pc.field(n.WEIGHT) > 0)
        counts = rows.column(n.WEIGHT).to_numpy()
        if counts.max() > 1:
            rows = rows.take(np.repeat(np.arange(len(counts)), counts))
        metadata = self._target.metadata()
        written = places.written(self._target, metadata, rows.drop_columns([n.WEIGHT]))
        return self._coming(changes) if written is None else written

    def _coming(self, changes: SparkChanges) -> DataFrame:
        return copies(changes.relation, [n.WEIGHT], self._columns)

    def _rewrite(self, changes: SparkChanges) -> Rewrite:
        """What to take away and what to put in, for rows that a key names or for a bag."""
        if changes.key is not None:
            taken = changes.relation.where(pc.field(n.WEIGHT) < 0, f.col(n.WEIGHT) < 0)
            fields = self._renamed(taken.select(changes.key), changes.names)
            return Rewrite(fields, self._coming(changes))
        change = n.Step(CHANGE, (*changes.names, n.WEIGHT))
        taken_rows = self._run(gone(change))
        self._keep(GONE, taken_rows)
        counted = self._run(settled(change, n.Step(GONE, changes.names), self._fields))
        self._refuse_negative(counted.frame.where(f.col(n.WEIGHT) + f.col(STORED) < 0))
        return Rewrite(
            self._renamed(taken_rows, changes.names),
            copies(counted, [n.WEIGHT, STORED], self._columns),
        )

    def _refuse_negative(self, rows: DataFrame) -> None:
        for row in rows.limit(1).collect():
            raise NegativeCount(
                f"The change takes away a row that {self._name} does not hold: {tuple(row)[:-2]}",
                hint="Nothing was written. Refresh it in full, and please report this query.",
            )

    def _renamed(self, relation: Relation, names: Sequence[str]) -> Relation:
        fields = dict(zip(names, self._fields, strict=True))
        return relation.renamed([fields[name] for name in relation.columns])
