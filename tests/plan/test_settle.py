"""What a change asks of the stored bag."""

from __future__ import annotations

from streamtables.plan import nodes as n
from streamtables.plan.settle import difference, gone, settled
from streamtables.plan.show import show

CHANGE = n.Step("change", ("a", "_weight"))


def test_rows_that_go() -> None:
    assert show(gone(CHANGE)) == "Project a\n  Filter (`_weight`) < 0\n    Step change (a, _weight)"


def test_copies_that_are_stored_are_counted_beside_the_weight() -> None:
    tree = show(settled(CHANGE, n.Step("gone", ("a",)), ["A"]))
    assert tree.startswith("Aggregate BY (a) SUM(`_weight`) AS _weight, SUM(`_stored`) AS _stored")
    assert "Restrict (a) IN gone\n        Stored (a)" in tree


def test_an_answer_less_what_is_stored() -> None:
    assert show(difference(n.Step("answer", ("a",)), ["A"])).count("AS _weight") == 3
