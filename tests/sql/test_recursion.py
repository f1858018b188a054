"""WITH RECURSIVE."""

from __future__ import annotations

from helpers.plans import compiled, plan

from streamtables.plan import nodes as n
from streamtables.plan.show import show
from streamtables.plan.walk import find

QUERY = (
    "WITH RECURSIVE t{columns} AS (SELECT id, 0 AS h FROM l WHERE k IS NULL "
    "UNION ALL SELECT l.id, {h} + 1 FROM t JOIN l ON l.k = t.{id}) SELECT * FROM t"
)


def test_base_and_step() -> None:
    tree = show(plan(QUERY.format(columns="", h="h", id="id")))
    assert "Fixpoint t_rows (id_3, h_2)" in tree
    assert "Recur t_rows (id_3, h_2)" in tree


def test_its_columns_may_be_named() -> None:
    tree = show(plan(QUERY.format(columns=" (x, y)", h="y", id="x")))
    assert tree.startswith("Project `x_2` AS x_5, `y_2` AS y_5\n  Fixpoint t_rows (x_2, y_2)")


def test_each_use_is_a_recursion_of_its_own() -> None:
    query = QUERY.format(columns="", h="h", id="id") + " UNION ALL SELECT * FROM t"
    names = [fixpoint.name for fixpoint in find(plan(query), n.Fixpoint)]
    assert names == ["t_rows", "t_rows_2"]


def test_the_word_recursive_alone_makes_none() -> None:
    assert "Fixpoint" not in show(plan("WITH RECURSIVE t AS (SELECT id FROM l) SELECT id FROM t"))


def test_a_recursion_that_drops_duplicates_has_no_plan() -> None:
    body = "SELECT 1 AS n UNION SELECT n + 1 FROM t WHERE n < 3"
    found = compiled(f"WITH RECURSIVE t AS ({body}) SELECT n FROM t JOIN l ON l.id = t.n")
    assert found.refusal is not None
    assert found.refusal.reason == "RECURSION"
