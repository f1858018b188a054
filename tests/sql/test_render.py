"""Trees to text."""

from __future__ import annotations

from streamtables.plan import nodes as n
from streamtables.plan.expr import col, lit
from streamtables.sql.literals import literal
from streamtables.sql.render import Render

SCAN = n.Scan("t", ("a.b", "c"), ("x", "y"))
KEYS = n.Step("step_1", ("x",))


def known(*values: object) -> Render:
    literals = [found for value in values if (found := literal(value)) is not None]
    return Render(["t"], lambda *_: literals)


def test_fields_are_quoted_and_named() -> None:
    assert Render(["t"]).sql(SCAN) == "SELECT `a.b` AS `x`, `c` AS `y` FROM `new_0`"


def test_keys_that_are_known_are_literals() -> None:
    text = known("it's", None).sql(n.Restrict(SCAN, KEYS, ("x",)))
    assert text.endswith("FROM `new_0` WHERE (`a.b` IN ('it\\'s') OR `a.b` IS NULL)")


def test_keys_that_are_unknown_are_joined_null_safe() -> None:
    text = Render(["t"]).sql(n.Restrict(SCAN, KEYS, ("x",)))
    assert "LEFT SEMI JOIN" in text
    assert text.endswith("ON `l`.`x` <=> `k`.`x`") or text.endswith(
        "ON `l`.`x` IS NOT DISTINCT FROM `k`.`x`"
    )


def test_a_hint_keeps_null_since_null_safe_keys_may_meet_and_may_be_ignored() -> None:
    narrow = n.Narrow(SCAN, "x", KEYS, "x")
    assert known(1).sql(narrow).endswith("WHERE `a.b` IN (1)")
    assert known(1, None).sql(narrow).endswith("WHERE (`a.b` IN (1) OR `a.b` IS NULL)")
    assert known(None).sql(narrow).endswith("WHERE (FALSE OR `a.b` IS NULL)")
    assert "WHERE" not in Render(["t"]).sql(narrow)


def test_copies() -> None:
    text = Render([]).sql(n.Copies(n.Step("s", ("a", "_weight"))))
    assert "EXPLODE(SEQUENCE(1, CAST(`_weight` AS INT)))" in text


def test_a_condition_stands_at_the_first_join_that_can_decide_it() -> None:
    tables = [n.Scan("t", ("c",), (name,)) for name in ("a", "b", "c")]
    on = tuple(type(col("a"))(col(x).tree.eq(col(y).tree)) for x, y in (("a", "c"), ("a", "b")))
    text = Render(["t"]).sql(n.Join(tuple(tables), on))
    assert text.index("ON `a` = `b`") < text.index("ON `a` = `c`")


def test_set_operations_keep_their_order() -> None:
    a, b, c = (n.Scan("t", ("c",), (name,)) for name in "abc")
    text = Render(["t"]).sql(n.Except(n.Intersect(a, b, all=True), n.Union(b, c), all=False))
    assert text.startswith("(SELECT")
    assert " EXCEPT (SELECT" in text
    assert str(lit(1)) == "CAST(1 AS BIGINT)"
