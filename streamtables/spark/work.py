"""One refresh's computing on Spark: leaves put in place, steps run, the change written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from streamtables.checks import measures_of
from streamtables.codec import frontier_to_json
from streamtables.model import CLOCK, Committed
from streamtables.plan import nodes as n
from streamtables.plan.keys import unique_key
from streamtables.plan.settle import difference
from streamtables.spark import local
from streamtables.spark.checking import Checking
from streamtables.spark.commit import CHANGE, SparkChanges, Writer
from streamtables.spark.kept import Kept
from streamtables.spark.near import near
from streamtables.spark.reading import read_version
from streamtables.spark.relations import LOCAL_ROWS, Relation, here, materialise, small
from streamtables.spark.rows import comparable
from streamtables.spark.stamp import Stamp
from streamtables.spark.summed import are_plain, is_bounded, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from streamtables.checks import Tally
    from streamtables.model import Column, Frontier, StreamTable
    from streamtables.plan.delta import Delta, Rounds
    from streamtables.spark.inputs import Inputs
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.state import StateTable
    from streamtables.sql.compile import Compiled

_ANSWER, _KEPT, _STORED = "answer", "kept_answer", "stored"
# Sources with fewer rows are read again sooner than something is kept.
KEPT_ROWS = 1_000_000


class SparkWork:
    """Computes one refresh in a Spark session of its own, so that names and settings meet nobody else's."""

    writer_type = Writer

    def __init__(
        self,
        spark: SparkSession,
        table: StreamTable,
        compiled: Compiled,
        inputs: Inputs,
        state: StateTable | None,
        jobs: Callable[[], int] | None,
    ) -> None:
        self._spark = spark
        self._jobs = jobs
        self._table = table
        self._compiled = compiled
        self._inputs = inputs
        self._target = inputs.stored
        self._kept = Kept(self, spark, compiled, inputs.windows, state) if state else None
        self._checking = Checking(spark, table)
        self._fields = tuple(column.name for column in table.columns)
        self._changed: dict[str, int] | None = None
        self._sizes: tuple[Mapping[str, int], int] | None = None

    def changed_rows(self) -> dict[str, int]:
        """Read the change of every source that moved: its rows, for those with any."""
        if self._changed is None:
            used = self._compiled.columns_used()
            # A table that only an unused CTE reads has no columns in use, and cannot change the answer.
            windows = self._inputs.windows
            moved = [
                key
                for key in self._inputs.sources
                if used[key] and windows[key].since != windows[key].until
            ]
            counts = {key: self._inputs.read_change(key, used[key]) for key in moved}
            self._changed = {key: count for key, count in counts.items() if count}
        return self._changed

    def sizes(self) -> tuple[Mapping[str, int], int]:
        """How many rows each source holds, and the result: as the statistics of their files say."""
        assert self._target is not None
        self._sizes = self._source_rows(), self._target.row_count() or 0
        return self._sizes

    def derive(self, delta: Delta) -> SparkChanges:
        """Run the steps of a delta, then its change."""
        self._run_stages(delta)
        names = tuple(name for name in delta.changes.columns if name != n.WEIGHT)
        change = self._checking.change(self.run(delta.changes), names)
        return self._changes(change, names, delta.key if delta.is_compared else None)

    def follow(self, delta: Delta) -> None:
        """Run those of its steps that tell how what is kept changes."""
        assert self._kept is not None
        begun = time.perf_counter()
        self._run_stages(delta)
        self._kept.made_s = time.perf_counter() - begun

    def _run_stages(self, delta: Delta) -> None:
        for stage in delta.stages:
            self._inputs.keep(stage.step.name, self.run(stage.followed(self._round)))
        if self._kept and delta.state is not None:
            self._kept.derive(delta, self._inputs.relations)

    def _round(self, rounds: Rounds, step: n.Step, plan: n.Node) -> int | None:
        """One round of a recursion: how many copies of rows it has, or None where they are of other types."""
        found = self.run(plan)
        for name in (step.name, rounds.last.name):
            self._inputs.keep(name, found)
        stored = {column.name: column.type for column in self._table.columns}
        kinds = {field.name: field.dataType.simpleString() for field in found.schema.fields}
        pairs = zip(rounds.fields, step.columns, strict=False)
        are_alike = all(stored[field] == kinds[name] for field, name in pairs)
        return sum(found.weights(n.WEIGHT)) if are_alike or not found.row_count else None

    def recompute(self) -> SparkChanges:
        """Run the query in full and compare with what is stored."""
        answer = self._checking.answer(self.answer())
        step = n.Step(_ANSWER, tuple(answer.columns))
        kept = answer.persist()
        self._inputs.keep(_KEPT, Relation(kept, -1, None))
        self._inputs.keep(_ANSWER, Relation(comparable(kept), -1, None))
        self._inputs.keep(_STORED, Relation(comparable(self._stored()), -1, None))
        plan = self._compiled.plan
        key = unique_key(plan) if plan is not None else None
        positions = {name: i for i, name in enumerate(plan.columns)} if plan is not None else {}
        named = tuple(step.names[positions[name]] for name in key) if key is not None else None
        change = self._changes(self.run(difference(step, self._fields)), step.names, named)
        if change.relation.local is None or self._is_nameless(answer):
            return SparkChanges(**{**vars(change), "answer": kept})
        return change

    def _is_nameless(self, answer: DataFrame) -> bool:
        """Whether no condition can name a row of the answer: it holds what Spark does not compare."""
        kinds = [field.dataType.simpleString() for field in answer.schema.fields]
        return self._compiled.refusal is not None and any(
            word in kind for kind in kinds for word in ("map<", "variant")
        )

    def _stored(self) -> DataFrame:
        assert self._target is not None
        return read_version(self._spark, self._target, self._target.latest())

    def answer(self) -> DataFrame:
        """The query run in full at the pinned versions; its columns are named by position."""
        relations = {key: self._inputs.source(key) for key in self._inputs.sources}
        frame = self._spark.sql(self._compiled.reading(relations))
        return frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))

    def commit(
        self, changes: SparkChanges, frontier: Frontier, *, is_due: bool = False
    ) -> Committed:
        """Write the change in one commit, if it has rows or is due anyway."""
        counts = (changes.rows_inserted, changes.rows_deleted)
        if not any(counts) and not is_due:
            return Committed(None, 0, 0)
        stamp = Stamp(self._table.app_id, frontier.number, frontier_to_json(frontier))
        assert self._target is not None
        writer = self.writer(str(self._table.name), self._table.columns, self._target)
        return Committed(writer.write(changes, stamp), *counts)

    def state_types(self) -> Mapping[str, str] | None:
        """The types of what is kept beside the table, if it is what this refresh starts from."""
        return self._kept.types() if self._kept else None

    def keep(self, frontier: Frontier) -> None:
        """Write what is kept beside the table, so that it stands at the frontier."""
        if self._kept:
            is_same = self._changed is not None and not self._changed
            is_worth = sum(self._source_rows().values()) >= KEPT_ROWS
            self._kept.write(frontier, is_same=is_same, is_worth=is_worth)

    def writer(self, name: str, columns: Sequence[Column], target: DeltaLog) -> Writer:
        """What writes a change to a table."""
        return self.writer_type(self._spark, name, columns, target, self.run, self._inputs.keep)

    def tallies(self) -> Sequence[Tally]:
        """What the table's checks found among the rows that were computed."""
        return self._checking.found

    def examples(self, changes: SparkChanges, most: int) -> tuple[tuple[Any, ...], ...]:
        """Rows of a change, each with its weight last."""
        return tuple(tuple(row) for row in changes.relation.frame.take(most))

    def measures(self) -> Mapping[str, float]:
        """What was counted on the way."""
        changed = self._changed or {}
        counted: dict[str, float] = {
            "source_rows_changed": sum(changed.values()),
            "steps": len(self._inputs.relations),
            "rows_on_driver": self._inputs.rows_on_driver,
        }
        if self._jobs is not None:
            counted["spark_jobs"] = self._jobs()
        counted |= measures_of(self._checking.found)
        if self._kept and self._kept.made_s:
            counted["state_made_s"] = round(self._kept.made_s, 4)
        if self._sizes is not None:
            sources, result = self._sizes
            counted |= {"source_rows": sum(sources.values()), "result_rows": result}
        return counted

    def close(self) -> None:
        """Let go of everything that was put in place."""
        self._checking.close()
        self._inputs.close()

    def _source_rows(self) -> Mapping[str, int]:
        logs = self._inputs.logs
        return {key: log.row_count() or 0 for key, log in logs.items() if key != CLOCK}

    def _changes(
        self, relation: Relation, names: tuple[str, ...], key: tuple[str, ...] | None
    ) -> SparkChanges:
        self._inputs.keep(CHANGE, relation)
        return SparkChanges(relation, names, key, None, *relation.weights(n.WEIGHT))

    def run(self, plan: n.Node) -> Relation:
        """Compute a plan: on the driver if all that it needs is there or can be read there, else by Spark."""
        kept, known = self._kept.log if self._kept else None, self._inputs.relations
        if (found := near(self._spark, plan, known, self._target, kept)) is not None:
            return found
        plan = self._inputs.narrowed(plan)
        rows = local.answer(plan, self._inputs.local)
        if rows is not None:
            return here(self._spark, rows)
        added = summed(plan, self._inputs.local, self._small)
        if added is not None:
            return here(self._spark, added)
        return materialise(self._spark, self.frame(plan))

    def _small(self, plan: n.Node) -> pa.Table | None:
        """The answer of a plan over what is small itself; None where it turns out to be large."""
        known = self._inputs.relations
        if any(relation.local is None for relation in known.values()):
            return None
        frame = self.frame(plan)
        if not are_plain(frame.schema):
            return None
        return small(frame, is_bounded=is_bounded(plan, known, LOCAL_ROWS))

    def frame(self, plan: n.Node) -> DataFrame:
        """A plan over what it reads, not yet computed."""
        return self._inputs.frame(plan, self._kept.log if self._kept else None)
