"""Which columns of an answer no two rows share."""

from __future__ import annotations

import pytest
from helpers.plans import plan

from streamtables.plan.keys import unique_key


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ("SELECT id FROM l", None),
        ("SELECT DISTINCT id, k FROM l", (0, 1)),
        ("SELECT COUNT(*) AS c FROM l", ()),
        ("SELECT COUNT(*) AS c, k FROM l GROUP BY k", (1,)),
        ("SELECT COUNT(*) AS c FROM l GROUP BY k", None),
        ("SELECT k FROM l GROUP BY k HAVING COUNT(*) > 1", (0,)),
        ("SELECT k + 1 AS k FROM l GROUP BY k", None),
        ("SELECT k FROM l UNION SELECT k FROM r", (0,)),
        ("SELECT k FROM l INTERSECT ALL SELECT k FROM r", None),
        (
            "SELECT a.k, b.k AS bk FROM (SELECT DISTINCT k FROM l) a, (SELECT DISTINCT k FROM r) b",
            (0, 1),
        ),
        ("SELECT a.k FROM (SELECT DISTINCT k FROM l) a, r", None),
    ],
)
def test_key(query: str, positions: tuple[int, ...] | None) -> None:
    tree = plan(query)
    key = unique_key(tree)
    assert (None if key is None else tuple(map(tree.columns.index, key))) == positions
