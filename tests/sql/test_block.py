"""Operators in one SELECT, and those that need one of their own."""

from __future__ import annotations

import pytest

from streamtables.plan import nodes as n
from streamtables.plan.expr import Item, col, is_above_zero, is_not_zero, item, lit, plus, total
from streamtables.plan.weighted import consolidated
from streamtables.sql.render import Render

T = n.Step("t", ("a", "b", "_weight"))
SUMS = n.Aggregate(T, ("a",), (Item("s", total(col("b"))),))
TWICE = n.Project(T, (Item("x", plus(col("a"), col("b"))), item("b")))
GLOBAL = n.Aggregate(T, (), (Item("s", total(col("b"))),))

ONE_SELECT = {
    "a projection of a projection": (
        n.Project(TWICE, (item("x"),)),
        "SELECT `a` + `b` AS `x` FROM `t`",
    ),
    "groups that are filtered": (
        n.Filter(SUMS, is_above_zero(col("s"))),
        "SELECT `a`, SUM(`b`) AS `s` FROM `t` GROUP BY `a` HAVING (SUM(`b`)) > 0",
    ),
    "rows that are filtered, then grouped": (
        n.Aggregate(n.Filter(T, is_above_zero(col("b"))), ("a",), ()),
        "SELECT `a` FROM `t` WHERE (`b`) > 0 GROUP BY `a`",
    ),
    "a filter over names of a projection": (
        n.Filter(n.Project(T, (Item("x", col("a")),)), is_above_zero(col("x"))),
        "SELECT `a` AS `x` FROM `t` WHERE (`a`) > 0",
    ),
    "the different rows of a filter": (
        n.Distinct(n.Filter(T, is_above_zero(col("b")))),
        "SELECT DISTINCT `a`, `b`, `_weight` FROM `t` WHERE (`b`) > 0",
    ),
    "a change, consolidated": (
        consolidated(T),
        "SELECT `a`, `b`, SUM(`_weight`) AS `_weight` FROM `t` GROUP BY `a`, `b` HAVING (SUM(`_weight`)) <> 0",
    ),
}
TWO_SELECTS = {
    "what would be computed twice": n.Project(TWICE, (item("x"), Item("y", col("x")))),
    "a filter over what is computed": n.Filter(TWICE, is_not_zero(col("x"))),
    "groups of groups": n.Aggregate(SUMS, ("s",), ()),
    "groups by what is computed": n.Aggregate(TWICE, ("x",), ()),
    "a filter over a key by another name": n.Filter(
        n.Project(SUMS, (Item("s", col("a")),)), is_above_zero(col("s"))
    ),
    "one row of which nothing is kept": n.Project(GLOBAL, (Item("one", lit(1)),)),
}


@pytest.mark.parametrize("about", ONE_SELECT)
def test_one_select(about: str) -> None:
    node, text = ONE_SELECT[about]
    assert Render([]).sql(node) == text


@pytest.mark.parametrize("about", TWO_SELECTS)
def test_a_select_of_its_own(about: str) -> None:
    assert Render([]).sql(TWO_SELECTS[about]).count("SELECT") == 2
