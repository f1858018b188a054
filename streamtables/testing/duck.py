"""The DuckDB lane: one stream table, kept by the rules' own SQL, with every table in DuckDB.

It does what streamtables.spark.work does: changes of the sources and steps are materialised, keys of small steps become
literals, the change is applied by key where it was compared with what is stored, and as a counted bag elsewhere.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING

from streamtables.errors import NegativeCount
from streamtables.plan import nodes as n
from streamtables.plan.settle import STORED, gone, settled
from streamtables.rules.derive import derive
from streamtables.sql.compile import compile_query
from streamtables.sql.dialect import Exact
from streamtables.sql.literals import literal
from streamtables.sql.query import Query
from streamtables.sql.render import Render, leaf_name
from streamtables.testing.bags import Row, assert_same, bag
from streamtables.testing.duck_kept import Kept
from streamtables.testing.translate import MACROS, fetched, in_duckdb, is_alike, name, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import duckdb

    from streamtables.model import Source
    from streamtables.plan.delta import Delta, Rounds
    from streamtables.plan.expr import Expr

LITERAL_KEYS = 2_000


class CannotRun(Exception):
    """The query is none for this lane."""


class Duck:
    """A stream table over tables of a DuckDB database; `sources` are its tables and their columns.

    With `is_as_written` the query in full is the analyst's text even where the plan decides what the text leaves open.
    """

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        sources: Iterable[Source],
        query: str,
        literal_every: int = 1,
        *,
        is_as_written: bool = False,
    ) -> None:
        self._database = database
        self._literal_every, self._refreshes = literal_every, 0
        by_key, wanted = {source.name.key: source for source in sources}, Query.parse(query).names
        if missing := [str(table) for table in wanted if table.key not in by_key]:
            raise CannotRun(f"no CREATE TABLE with columns makes {', '.join(missing)}")
        read = tuple(by_key[table.key] for table in wanted)
        self.compiled = compile_query(query, read)
        if self.compiled.reads_clock:
            raise CannotRun("it reads the time, which stands still here: run it on Spark")
        self._tables = {source.name.key: source for source in read}
        self._sources = sorted(self._tables)
        for macro in MACROS:
            self._run(f"CREATE OR REPLACE MACRO {macro}")
        self._scripts: dict[frozenset[str], list[tuple[str, str]]] = {}
        for number, key in enumerate(self._sources):
            table = ".".join(map(name, self._tables[key].name.parts))
            self._run(f"CREATE VIEW new_{number} AS SELECT * FROM {table}")
        self._used = self.compiled.columns_used()
        relations = {key: f"new_{number}" for number, key in enumerate(self._sources)}
        self._full = in_duckdb(self.compiled.reading(relations, is_as_written=is_as_written))
        self._run(f"CREATE TEMP TABLE stored AS {self._full}")
        self._fields = tuple(field for field, _ in self._columns((), "stored"))
        self._is_alike = is_alike(self.compiled.query.tree)
        text = partial(self._text, render=Render(self._sources))
        self._kept = Kept.made(self.compiled, self._fields, self._run, text)
        self._remember(range(len(self._sources)))

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""
        return bag(fetched(self._run("SELECT * FROM stored")))

    def full(self) -> Counter[Row]:
        """The query run in full on the sources as they are now."""
        return bag(fetched(self._run(self._full)))

    def refresh(self) -> Counter[Row]:
        """Take in what changed since the last refresh; gives the net change, rows to weights.

        The change is derived without keys as literals and, every `literal_every` refreshes, with, and from what
        is kept where something can be: all must agree.
        """
        touched = self._read_changes()
        by_state = self._kept.change(touched) if self._kept else None
        change = self.change(touched, is_literal=False)
        if self._refreshes % self._literal_every == 0:
            found = self.change(touched, is_literal=True)
            assert_same(found, change, "with literals, unlike without")
        if by_state is not None:
            assert_same(by_state, change, "from what is kept, unlike from the rows of the sources")
        self._refreshes += 1
        self._apply(touched)
        self._remember(self._sources.index(key) for key in touched)
        return change

    def recompute(self) -> None:
        """Store the query's answer anew."""
        self._make("stored", self._full)

    def nothing(self) -> Counter[Row]:
        """The change that is derived when every source is said to have changed, and none has."""
        for number, key in enumerate(self._sources):
            self._difference(number, key)
        touched = frozenset(key for key in self._sources if self._used[key])
        return self.change(touched, is_literal=False)

    def change(self, touched: frozenset[str], *, is_literal: bool) -> Counter[Row]:
        """Derive the change of the answer into the table `change`; it must be net."""
        if not touched:
            return Counter()
        for table, text in self._script(touched, is_literal=is_literal):
            self._make(table, text)
        rows = fetched(self._run("SELECT * FROM change"))
        change = {row: weight for *values, weight in rows for row in bag([values])}
        assert len(change) == len(rows), "a row of the change occurs twice"
        assert all(change.values()), "a row of the change has weight 0"
        return Counter(change)

    @cache  # noqa: B019 - a stream table of a test is short-lived
    def delta(self, touched: frozenset[str]) -> Delta:
        """The steps for a set of changed sources."""
        assert self.compiled.plan is not None, self.compiled.refusal
        delta = derive(self.compiled.plan, touched, self._fields)
        assert delta is not None, "a source that changed is a source that the plan reads"
        return delta

    def _script(self, touched: frozenset[str], *, is_literal: bool) -> Iterable[tuple[str, str]]:
        """The steps and then the change, each with its SQL; that of literals and rounds once the steps before ran."""
        if is_literal:
            dialect = "duckdb" if self._is_alike else "spark"
            return self._written(touched, Render(self._sources, self._known, dialect=dialect))
        if any(stage.rounds for stage in self.delta(touched).stages):
            return self._written(touched, Render(self._sources))
        if touched not in self._scripts:
            self._scripts[touched] = list(self._written(touched, Render(self._sources)))
        return self._scripts[touched]

    def _written(self, touched: frozenset[str], render: Render) -> Iterator[tuple[str, str]]:
        delta = self.delta(touched)
        for stage in delta.stages:
            plan = stage.followed(partial(self._round, render))
            yield stage.step.name, self._text(plan, render)
        yield "change", self._text(delta.changes, render)

    def _round(self, render: Render, rounds: Rounds, step: n.Step, plan: n.Node) -> int | None:
        """One round of a recursion: how many copies of rows it has, or None where they are of other types."""
        self._make(step.name, self._text(plan, render))
        self._make(rounds.last.name, f"FROM {step.name}")
        pairs = ((rounds.fields, "stored"), (step.columns[:-1], step.name))
        stored, found = ([kind for _, kind in self._columns(*pair)] for pair in pairs)
        copies = self._run(f"SELECT coalesce(sum(abs({n.WEIGHT})), 0) FROM {step.name}").fetchall()
        return int(copies[0][0]) if stored == found or not copies[0][0] else None

    def _apply(self, touched: frozenset[str]) -> None:
        """Write the table `change` to the stored rows, as streamtables.spark.work does."""
        if not touched:
            return
        delta = self.delta(touched)
        columns = delta.changes.columns[:-1]
        fields = dict(zip(columns, self._fields, strict=True))
        if delta.is_compared and delta.key is not None:
            self._make("taken", f"SELECT * FROM change WHERE {n.WEIGHT} < 0")
            self._delete({fields[key]: key for key in delta.key})
            self._insert("change", columns, n.WEIGHT)
            return
        for table, text in self._settling(delta.changes.columns):
            self._make(table, text)
        after = f"{n.WEIGHT} + {STORED}"
        for row in self._run(f"FROM counted WHERE {after} < 0 LIMIT 1").fetchall():
            raise NegativeCount(f"The change takes away a row that is not there: {row}")
        self._delete({fields[column]: column for column in columns})
        self._insert("counted", columns, after)

    @cache  # noqa: B019 - a stream table of a test is short-lived
    def _settling(self, columns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """What is asked of the stored rows before a change is written to them."""
        step, render = n.Step("change", columns), Render(self._sources)
        plans = (gone(step), settled(step, n.Step("taken", columns[:-1]), self._fields))
        texts = (self._text(plan, render) for plan in plans)
        return tuple(zip(("taken", "counted"), texts, strict=True))

    def _delete(self, pairs: dict[str, str]) -> None:
        same = " AND ".join(
            f"stored.{name(field)} IS NOT DISTINCT FROM taken.{name(column)}"
            for field, column in pairs.items()
        )
        self._run(f"DELETE FROM stored WHERE EXISTS (SELECT 1 FROM taken WHERE {same or 'TRUE'})")

    def _insert(self, table: str, columns: Sequence[str], copies: str) -> None:
        rows = f"SELECT {names(columns)}, UNNEST(RANGE(({copies})::BIGINT)) FROM {table} WHERE {copies} > 0"
        self._run(f"INSERT INTO stored SELECT {names(columns)} FROM ({rows})")

    def _read_changes(self) -> frozenset[str]:
        """Put the net change of every source in place; gives those that have one."""
        return frozenset(key for i, key in enumerate(self._sources) if self._difference(i, key))

    def _difference(self, number: int, key: str) -> int:
        used = names(self._used[key])
        if not used:  # an unused CTE reads it: the plan does not
            return 0
        w = n.WEIGHT
        both = f"SELECT {used}, 1 AS {w} FROM new_{number} UNION ALL SELECT {used}, -1 FROM old_{number}"
        net = f"SELECT {used}, SUM({w}) AS {w} FROM ({both}) GROUP BY {used} HAVING SUM({w}) <> 0"
        return self._make(f"changed_{number}", net)

    def _remember(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._make(f"old_{number}", f"SELECT * FROM new_{number}")

    def _known(self, leaf: n.Changed | n.Step, column: str) -> Sequence[Expr] | None:
        """The values of a key as literals, as Spark's relations give them."""
        pairs = zip(leaf.names, leaf.fields, strict=True) if isinstance(leaf, n.Changed) else ()
        field = dict(pairs).get(column, column)
        values = f"SELECT DISTINCT {name(field)} FROM {leaf_name(leaf, self._sources)} LIMIT {LITERAL_KEYS + 1}"
        literals = [literal(value) for (value,) in self._run(values).fetchall()]
        is_usable = len(literals) <= LITERAL_KEYS and all(value is not None for value in literals)
        return [value for value in literals if value] if is_usable else None

    def _text(self, plan: n.Node, render: Render) -> str:
        """The SQL of a plan. Reading back what was written, to translate functions, costs most of the time."""
        tree = render.query(plan)
        return str(tree.sql("duckdb", copy=False)) if self._is_alike else in_duckdb(tree.sql(Exact))

    def _columns(self, columns: Sequence[str], table: str) -> list[tuple[str, object]]:
        """Columns of a table with their types; all if none are named."""
        head = self._run(f"SELECT {names(columns) or '*'} FROM {table} LIMIT 0").description
        return [(part[0], part[1]) for part in head]

    def _make(self, table: str, text: str) -> int:
        """Store an answer under a name; gives its rows."""
        text = f"CREATE OR REPLACE TEMP TABLE {table} AS {text}"
        return int(self._run(text).fetchall()[0][0])

    def _run(self, text: str) -> duckdb.DuckDBPyConnection:
        return self._database.execute(text)
