"""Where a column of a change comes from."""

from __future__ import annotations

from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, col, lit, plus
from streamtables.plan.origin import origin

CHANGED = n.Changed("t", ("a",), ("a",))


def test_through_filters_and_renamings() -> None:
    renamed = n.Project(
        n.Filter(CHANGED, col("a")), (Item("b", col("a")), Item("_weight", col("_weight")))
    )
    assert origin(renamed, "b") == (CHANGED, "a")


def test_not_through_an_expression() -> None:
    computed = n.Project(CHANGED, (Item("b", plus(col("a"), lit(1))),))
    assert origin(computed, "b") is None


def test_not_through_anything_else() -> None:
    assert origin(n.Distinct(CHANGED), "a") is None
