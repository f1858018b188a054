"""What the plans of one refresh read, put in place under the names that SQL knows it by, and only once it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from streamtables.model import CLOCK
from streamtables.plan import nodes as n
from streamtables.plan.walk import every, references
from streamtables.spark.clock import clock_at
from streamtables.spark.local import answer
from streamtables.spark.narrowed import narrowed, reads_table, with_small
from streamtables.spark.near import all_of, near_in
from streamtables.spark.reading import read_version
from streamtables.spark.relations import distinct_literals, here
from streamtables.sql.render import Render, leaf_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.model import Window
    from streamtables.plan.expr import Expr
    from streamtables.spark.log import DeltaLog
    from streamtables.spark.narrowed import Leaf, Table, Wanted
    from streamtables.spark.relations import Relation
    from streamtables.spark.shared import SharedChanges


class Inputs:
    """Sources as they are at the end of their windows, tables of our own, and what was computed so far."""

    def __init__(
        self,
        spark: SparkSession,
        windows: Mapping[str, Window],
        logs: Mapping[str, DeltaLog],
        stored: DeltaLog | None,
        shared: SharedChanges,
    ) -> None:
        self._spark, self._shared = spark, shared
        self.windows, self.logs, self.stored = windows, logs, stored
        self.sources = sorted(windows)
        self.relations: dict[str, Relation] = {}
        self._views: set[str] = set()
        self._made: dict[n.Node, n.Step | None] = {}
        self._small: dict[Table, n.Step | None] = {}
        self._read: dict[tuple[Table, str, Leaf, str], n.Step | None] = {}

    def keep(self, name: str, relation: Relation) -> None:
        """Give an answer the name of its leaf."""
        if name in self.relations:
            self._forget(name)
        self.relations[name] = relation
        if name in self._views:
            self._view(name, relation.frame)

    def _forget(self, name: str) -> None:
        """Let go of what was read and made for rows that had a name before."""

        def had(leaf: n.Node) -> bool:
            return leaf_name(leaf, self.sources) == name

        self._read = {asked: step for asked, step in self._read.items() if not had(asked[2])}
        self._made = {
            plan: step for plan, step in self._made.items() if not any(map(had, references(plan)))
        }

    def read_change(self, key: str, columns: Sequence[str]) -> int:
        """Read the change of some columns of a source and give it the name of its leaf; gives its rows."""
        relation = self._shared.read(self._spark, self.logs.get(key), self.windows[key], columns)
        self.keep(leaf_name(n.Changed(key, (), ()), self.sources), relation)
        return relation.row_count

    def frame(self, plan: n.Node, state: DeltaLog | None) -> DataFrame:
        """A plan over what it reads, not yet computed."""
        text = Render(self.sources, self._known).sql(plan)
        for node in every(plan):
            if isinstance(node, n.Scan):
                self.source(node.source)
            elif isinstance(node, n.Stored):
                self._own("stored", self.stored)
            elif isinstance(node, n.State):
                self._own("state", state)
        for name, relation in self.relations.items():
            # Keys that became literals are not read; a name that is part of another does no harm.
            if name in text and name not in self._views:
                self._view(name, relation.frame)
        return self._spark.sql(text)

    def narrowed(self, plan: n.Node) -> n.Node:
        """A plan with the rows of its tables that matter read here, where they are few."""
        found = narrowed(plan, self._values, self._near, self._computed)
        whole = with_small(found, self._all)
        return found if reads_table(whole) else whole

    def _values(self, leaf: n.Changed | n.Step, column: str) -> pa.ChunkedArray | None:
        """A column that is here, of values that Arrow tells apart."""
        rows = self.local(leaf)
        found = None if rows is None else rows.column(leaf.columns.index(column))
        return None if found is None or pa.types.is_nested(found.type) else found

    def _near(self, table: Table, column: str, wanted: Wanted) -> n.Step | None:
        """What is read of a table, once for all plans that want the same of it."""
        asked = (table, column, *wanted)
        if asked not in self._read:
            self._read[asked] = self._read_near(table, column, wanted)
        return self._read[asked]

    def _read_near(self, table: Table, column: str, wanted: Wanted) -> n.Step | None:
        log, keys = self._log(table), self._values(*wanted)
        if log is None or keys is None:
            return None
        found = near_in(self._spark, table, log, self._version(table, log), column, keys)
        return None if found is None else self._placed(table.names, found)

    def _computed(self, plan: n.Node) -> n.Step | None:
        """The answer of a plan over what is here, once for all plans that have it in them."""
        if plan not in self._made:
            rows = answer(plan, self.local)
            found = None if rows is None else here(self._spark, rows)
            self._made[plan] = self._placed(plan.columns, found) if found else None
        return self._made[plan]

    def _all(self, table: Table) -> n.Step | None:
        """What is read of a small table, once for all plans."""
        if table not in self._small:
            log = self._log(table)
            found = log and all_of(self._spark, table, log, self._version(table, log))
            self._small[table] = self._placed(table.names, found) if found else None
        return self._small[table]

    def _placed(self, names: tuple[str, ...], rows: Relation) -> n.Step:
        step = n.Step(f"near_{len(self.relations)}", names)
        self.keep(step.name, rows)
        return step

    def _log(self, table: Table) -> DeltaLog | None:
        return self.stored if isinstance(table, n.Stored) else self.logs.get(table.source)

    def _version(self, table: Table, log: DeltaLog) -> int:
        if isinstance(table, n.Stored):
            return log.latest()
        return self.windows[table.source].until.version

    def source(self, key: str) -> str:
        """Put a source in place; gives the name that plans know it by."""
        name = f"new_{self.sources.index(key)}"
        if name not in self._views:
            until = self.windows[key].until
            is_clock = key == CLOCK
            self._view(
                name,
                clock_at(self._spark, until)
                if is_clock
                else read_version(self._spark, self.logs[key], until.version),
            )
        return name

    def local(self, leaf: n.Changed | n.Step) -> pa.Table | None:
        """The rows of a leaf, where they are on the driver."""
        relation = self.relations.get(leaf_name(leaf, self.sources))
        if relation is None or relation.local is None:
            return None
        fields = (*leaf.fields, n.WEIGHT) if isinstance(leaf, n.Changed) else leaf.names
        return relation.local.select(list(fields))

    @property
    def rows_on_driver(self) -> int:
        """How many rows of sources' changes and of steps are here."""
        here = (relation.local for relation in {*self.relations.values()})
        return sum(rows.num_rows for rows in here if rows is not None)

    def close(self) -> None:
        """Let go of everything that was put in place."""
        for relation in self.relations.values():
            relation.release()
        for view in self._views:
            self._spark.catalog.dropTempView(view)

    def _known(self, leaf: n.Changed | n.Step, column: str) -> Sequence[Expr] | None:
        values = self._values(leaf, column)
        return None if values is None else distinct_literals(values)

    def _own(self, name: str, log: DeltaLog | None) -> None:
        if name not in self._views and name not in self.relations:
            assert log is not None
            self._view(name, read_version(self._spark, log, log.latest()))

    def _view(self, name: str, frame: DataFrame) -> None:
        frame.createOrReplaceTempView(name)
        self._views.add(name)
