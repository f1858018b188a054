"""The rule of joins."""

from __future__ import annotations

from helpers.plans import plan, shown

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, col
from streamtables.rules.join import equal_columns, walk_from

QUERY = "SELECT id, n FROM l JOIN r ON l.k = r.k"


def test_one_changed_input_gives_one_term_over_the_new_state_of_the_other() -> None:
    assert (
        shown(QUERY, "l")
        == """change :=
  Filter (`_weight`) <> 0
    Aggregate BY (id_2, n_2) SUM(`_weight`) AS _weight
      Project `id` AS id_2, `n` AS n_2, _weight
        Project id, k, k_2, n, `_weight_0` AS _weight
          Join ON `k` = `k_2`
            Project id, k, `_weight` AS _weight_0
              Changed `l` (id, k)
            Narrow k_2 IN changed `l`.k
              Scan `r` (k_2, n)"""
    )


def test_two_changed_inputs_give_two_terms_one_of_them_over_an_old_state() -> None:
    text = shown(QUERY, "l", "r")
    assert text.count("Join ON") == 2
    assert "`_weight_0` * `_weight_1` AS _weight" in text
    assert text.count("Project k_2, n, -(`_weight`) AS _weight") == 1


def test_a_term_walks_along_the_conditions() -> None:
    tree = plan("SELECT a.id FROM l a, r b, l c WHERE a.k = c.k AND c.id = b.k")
    join = tree.child  # type: ignore[attr-defined]
    assert isinstance(join, n.Join)
    assert walk_from(1, join) == [1, 2, 0]


def test_columns_are_equal_through_others() -> None:
    on = [_equal("a", "b"), _equal("b", "c"), _equal("x", "y")]
    assert equal_columns(on, {"a", "x"}, {"c"}) == [("a", "c")]


def _equal(left: str, right: str) -> Expr:
    return Expr(col(left).tree.eq(col(right).tree))
