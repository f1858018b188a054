"""Scans near touched keys: which parts of a plan become rows that are here, and that the answer stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from helpers.lake import Lake

from streamtables.model import Action
from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, col, item, lit, same
from streamtables.plan.weighted import weighted
from streamtables.spark import inputs
from streamtables.spark.narrowed import narrowed, reads_table, with_small
from streamtables.spark.relations import here

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from streamtables.spark.relations import Relation

SCAN, OTHER = n.Scan("s", ("a", "b"), ("x", "y")), n.Scan("r", ("c",), ("z",))
KEYS, NEAR = n.Step("keys", ("k", "m")), n.Step("near", ("x", "y"))
ONE = n.Step("one", ("k",))
CHANGED = n.Changed("s", ("a", "b"), ("x", "y"))
PAIR = n.Scan("r", ("c", "d"), ("z", "w"))
PROJECT = n.Project(n.Filter(SCAN, col("y")), (item("x"),))


def read(plan: n.Node, known: tuple[str, ...] = ("k",)) -> tuple[n.Node, list[tuple[str, str]]]:
    """The plan with scans of `s` read, and by which columns."""
    asked: list[tuple[str, str]] = []

    def rows(scan: n.Scan, column: str, _: object) -> n.Step | None:
        asked.append((scan.source, column))
        return NEAR if scan == SCAN else None

    values = pa.chunked_array([[1]])
    found = narrowed(plan, lambda _, key: values if key in known else None, rows)
    return found, asked


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (n.Restrict(SCAN, ONE, ("x",)), NEAR),
        (n.Restrict(SCAN, KEYS, ("x", "y")), n.Restrict(NEAR, KEYS, ("x", "y"))),
        (n.Narrow(SCAN, "y", KEYS, "k"), NEAR),
        (n.Restrict(PROJECT, ONE, ("x",)), n.Project(n.Filter(NEAR, col("y")), (item("x"),))),
        (
            n.Narrow(n.UnionAll((weighted(SCAN), CHANGED)), "x", KEYS, "k"),
            n.UnionAll((weighted(NEAR), CHANGED)),
        ),
        (
            n.Restrict(n.UnionAll((weighted(SCAN), CHANGED)), ONE, ("x",)),
            n.Restrict(n.UnionAll((weighted(NEAR), CHANGED)), ONE, ("x",)),
        ),
        (
            n.Join((n.Narrow(SCAN, "x", KEYS, "k"), OTHER), ()),
            n.Join((NEAR, OTHER), ()),
        ),
        (n.Narrow(n.Join((SCAN, OTHER), ()), "x", KEYS, "k"), n.Join((NEAR, OTHER), ())),
        (n.Restrict(n.Distinct(SCAN), ONE, ("x",)), n.Distinct(NEAR)),
        (n.Restrict(n.Aggregate(SCAN, ("y",), ()), ONE, ("y",)), n.Aggregate(NEAR, ("y",), ())),
        (
            n.Restrict(n.Match(SCAN, OTHER, (), "anti"), ONE, ("x",)),
            n.Match(NEAR, OTHER, (), "anti"),
        ),
        # Of the right side alone nothing follows for the rows that are there.
        (
            n.Restrict(n.Except(PAIR, SCAN, True), ONE, ("z",)),
            n.Restrict(n.Except(PAIR, NEAR, True), ONE, ("z",)),
        ),
        (n.Restrict(n.Except(SCAN, PAIR, True), ONE, ("x",)), n.Except(NEAR, PAIR, True)),
        (
            n.Restrict(n.Union(SCAN, PAIR), ONE, ("x",)),
            n.Restrict(n.Union(NEAR, PAIR), ONE, ("x",)),
        ),
    ],
)
def test_what_becomes_a_step(plan: n.Node, expected: n.Node) -> None:
    assert read(plan)[0] == expected


@pytest.mark.parametrize(
    "plan",
    [
        SCAN,
        n.Restrict(OTHER, ONE, ("z",)),  # Spark has to read it
        n.Restrict(n.Project(SCAN, (Item("x", lit(1)),)), ONE, ("x",)),
        n.Restrict(n.Aggregate(SCAN, ("y",), (Item("c", col("x")),)), ONE, ("c",)),
        n.Restrict(n.Match(SCAN, OTHER, (), "full"), ONE, ("x",)),
        n.Narrow(n.Match(OTHER, SCAN, (), "left"), "x", KEYS, "k"),  # padded where none is left
        n.Narrow(SCAN, "x", KEYS, "m"),  # the values are not here
    ],
)
def test_what_stays(plan: n.Node) -> None:
    assert read(plan)[0] == plan


def test_a_join_is_read_from_one_input_to_the_next() -> None:
    """As far as columns that are to be equal lead: to `r`, whose rows are not known, but not beyond."""
    third = n.Scan("t", ("e",), ("u",))
    on = (same(col("x"), col("v")), same(col("y"), col("z")), same(col("z"), col("u")))
    here = n.Project(n.Step("one", ("k", "v")), (item("v"),))
    plan = n.Join((here, SCAN, OTHER, third), on)
    found, asked = read(plan, ("v", "y"))
    assert found == n.Join((here, NEAR, OTHER, third), on)
    assert set(asked) == {("s", "x"), ("r", "z")}


def test_an_input_that_is_here_is_computed_for_the_next() -> None:
    """A union tells what matters of `s` once it is computed; one that reads a table is left as it is."""
    both = n.UnionAll((n.Step("one", ("v",)), n.Step("two", ("w",))))
    made, met = n.Step("made", ("v",)), (same(col("x"), col("v")),)
    values = pa.chunked_array([[1]])

    def read(plan: n.Node) -> n.Node:
        return narrowed(plan, lambda *_: values, lambda *_: NEAR, lambda _: made)

    assert read(n.Join((both, SCAN), met)) == n.Join((made, NEAR), met)
    assert read(n.Match(both, SCAN, met, "anti")) == n.Match(made, NEAR, met, "anti")
    distant = n.UnionAll((n.Step("one", ("v",)), OTHER))
    assert read(n.Match(distant, SCAN, met, "anti")) == n.Match(distant, SCAN, met, "anti")


NOTHING, SOME = n.Step("nothing", ("k",)), n.Step("some", ("e",))


@pytest.mark.parametrize(
    ("part", "is_left_out"),
    [
        (n.Restrict(SCAN, NOTHING, ("x",)), True),
        (n.Aggregate(n.Filter(NOTHING, col("k")), ("k",), ()), True),
        (n.Aggregate(NOTHING, (), (Item("c", lit(1)),)), False),
        (n.Match(NOTHING, SCAN, (), "left"), True),
        (n.Match(SCAN, NOTHING, (), "semi"), True),
        (n.Match(SCAN, NOTHING, (), "anti"), False),
        (n.Match(NOTHING, SCAN, (), "full"), False),
        (n.Join((SCAN, NOTHING), ()), True),
    ],
)
def test_what_has_no_rows_is_left_out_of_a_union(part: n.Node, is_left_out: bool) -> None:
    ours = n.Project(part, (Item("k", lit(1)),))
    empty, full = pa.chunked_array([[]], pa.int64()), pa.chunked_array([[1]])

    def read(plan: n.Node) -> n.Node:
        return narrowed(plan, lambda leaf, _: empty if leaf == NOTHING else full, lambda *_: None)

    union = n.UnionAll((ours, SOME))
    assert read(union) == (n.Project(SOME, (Item("k", col("e")),)) if is_left_out else union)
    alone = n.UnionAll((ours, ours))
    assert read(alone) == alone


def test_small_tables_are_read_from_end_to_end() -> None:
    plan = n.Match(OTHER, n.Stored(("a", "b"), ("x", "y")), (), "anti")
    found = with_small(plan, lambda table: NEAR if isinstance(table, n.Stored) else None)
    assert found == n.Match(OTHER, NEAR, (), "anti")
    assert (reads_table(found), reads_table(NEAR)) == (True, False)


@pytest.mark.parametrize(
    ("kind", "expected"), [("semi", ["x"]), ("anti", []), ("left", []), ("full", [])]
)
def test_the_left_rows_of_a_semi_join_alone_have_to_meet(kind: str, expected: list[str]) -> None:
    right = n.Step("one", ("v",))
    _, asked = read(n.Match(SCAN, right, (same(col("x"), col("v")),), kind), ("v",))
    assert [column for _, column in asked] == expected


def test_equal_columns_of_one_type_narrow_the_other_side() -> None:
    """'1' and '01' are both equal to 1: of columns of other types nothing follows."""
    left = n.Scan("r", ("c",), ("z",), ("int",))
    for kind in ("int", "string"):
        right = n.Scan("s", ("a", "b"), ("x", "y"), (kind, "int"))
        plan = n.Narrow(n.Match(left, right, (same(col("z"), col("x")),), "anti"), "z", ONE, "k")
        assert read(plan)[1] == [("r", "z"), ("s", "x")][: 2 if kind == "int" else 1]


def test_a_key_that_is_not_here_leaves_the_other() -> None:
    plan = n.Restrict(SCAN, KEYS, ("x", "y"))
    assert read(plan, ("m",)) == (n.Restrict(NEAR, KEYS, ("x", "y")), [("s", "y")])


@pytest.mark.spark
def test_no_row_after_an_empty_chunk_is_lost(spark: SparkSession) -> None:
    parts = [pa.table({"a": pa.array(values, pa.int64())}) for values in ([], [1], [], [2, 3])]
    assert here(spark, pa.concat_tables(parts)).frame.count() == 3


@pytest.mark.spark
def test_the_answer_stays_the_same(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With rows hidden, keys of NULL, of another type, of floats, a partitioned source, and too many rows."""
    lake, read = Lake(spark, tmp_path, "narrowed"), dict[str, int | None]()
    near_in = inputs.near_in

    def spied(*arguments: object) -> Relation | None:
        found: Relation | None = near_in(*arguments)  # type: ignore[arg-type]
        if isinstance(arguments[1], n.Scan):
            read[arguments[1].source] = found.row_count if found else None
        return found

    monkeypatch.setattr(inputs, "near_in", spied)
    monkeypatch.setattr("streamtables.spark.near.READ_VALUES", 120)
    monkeypatch.setattr("streamtables.spark.near.SMALL_ROWS", 10)
    rows = "SELECT CAST(id AS INT) AS id, IF(id % 9 = 0, NULL, CAST(id % 30 AS INT)) AS k FROM range(300)"
    lake.sql(
        f"CREATE TABLE {lake}.s USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS {rows}",
        f"CREATE TABLE {lake}.r USING delta AS SELECT id, id / 4D AS f, id % 2 AS p FROM range(40)",
        f"CREATE TABLE {lake}.parts USING delta PARTITIONED BY (p) AS SELECT * FROM {lake}.r",
        f"DELETE FROM {lake}.s WHERE id IN (31, 32, 36)",
    )
    queries = {
        "groups": "SELECT k, array_sort(collect_set(id)) AS ids FROM $.s GROUP BY k",
        "types": "SELECT s.id, r.f FROM $.s JOIN $.r ON s.k = r.id",
        "floats": "SELECT f, mode(p) AS p FROM $.r GROUP BY f",
        "in_parts": "SELECT p, mode(f) AS f FROM $.parts GROUP BY p",
    }
    for name, query in queries.items():
        lake.st.create_stream_table(f"{lake}.{name}", query.replace("$", str(lake)))

    def refresh(name: str) -> int | None:
        read.clear()
        assert lake.st.refresh(f"{lake}.{name}").action is Action.INCREMENTAL
        lake.check(name)
        return next(iter(read.values()))

    lake.sql(f"UPDATE {lake}.s SET k = 31 WHERE k IN (1, 2) AND id % 5 = 1")
    for table in ("r", "parts"):
        lake.sql(f"UPDATE {lake}.{table} SET f = f + 1 WHERE id = 3")
    found = {name: refresh(name) for name in queries}
    assert found == {"groups": 9, "types": None, "floats": None, "in_parts": None}
    lake.sql(f"UPDATE {lake}.s SET k = k + 1 WHERE id > 20")
    assert refresh("groups") is None, "of too many rows"
