"""What the driver adds up is what Spark would; the rest it leaves."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pyarrow as pa
import pytest

from streamtables.plan import nodes as n
from streamtables.plan.weighted import added, consolidated, weighted
from streamtables.spark.relations import Relation
from streamtables.spark.summed import is_bounded, summed, together

STORED = n.Step("step_1", ("k", "v"))
SCAN = n.Scan("t", ("k", "v"), ("k", "v"))
PLAN = consolidated(added([weighted(SCAN), weighted(STORED, sign=-1)], ("k", "v")))


def rows(*found: tuple[object, ...], names: tuple[str, ...] = ("k", "v", n.WEIGHT)) -> pa.Table:
    columns = zip(*found, strict=True)
    return pa.table({name: pa.array(values) for name, values in zip(names, columns, strict=True)})


def bag(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter({tuple(row.values())[:-1]: row[n.WEIGHT] for row in table.to_pylist()})


def test_what_is_here_is_added_to_what_spark_computes() -> None:
    stored = rows(("a", 1), (None, 2), ("b", 3), names=("k", "v"))
    asked: list[n.Node] = []

    def rest(plan: n.Node) -> pa.Table:
        asked.append(plan)
        return rows(("a", 1, 1), (None, 2, 1), ("b", 4, 1), ("b", 4, 1))

    found = summed(PLAN, lambda _: stored, rest)
    assert asked == [weighted(SCAN)], "only what is not here is computed"
    assert bag(found) == {("b", 3): -1, ("b", 4): 2}
    assert found.column_names == list(PLAN.columns)


def test_spark_may_find_it_too_large() -> None:
    assert summed(PLAN, lambda _: None, lambda _: None) is None


@pytest.mark.parametrize("plan", [SCAN, n.Filter(weighted(SCAN), PLAN.condition), PLAN.child])
def test_plans_that_do_anything_else(plan: n.Node) -> None:
    assert summed(plan, lambda _: None, lambda _: rows(("a", 1, 1))) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [(1.5, float("nan")), (1, Decimal("1.5")), ([1], [1])],
    ids=["no number", "both", "list"],
)
def test_types_that_arrow_compares_otherwise(one: object, other: object) -> None:
    assert together([rows(("a", one, 1)), rows(("a", other, 1))], ("k", "v", n.WEIGHT)) is None


def test_a_column_named_like_the_sum() -> None:
    names = ("k", f"{n.WEIGHT}_sum", n.WEIGHT)
    found = together([rows(("a", 1, 2), ("a", 1, -1), names=names)], names)
    assert bag(found) == {("a", 1): 1}


def test_groups_of_known_keys_bound_an_answer() -> None:
    keys = n.Step("step_2", ("k",))
    near = n.Restrict(SCAN, keys, ("k",))
    known = {"step_2": Relation(lambda: None, 3, pa.table({"k": ["a", "b", None]}))}
    assert is_bounded(weighted(n.Aggregate(near, ("k",), ())), known, 3)
    assert not is_bounded(n.Aggregate(near, ("k",), ()), known, 2)
    assert not is_bounded(n.Aggregate(near, ("k", "v"), ()), known, 3)
    assert not is_bounded(near, known, 3)
