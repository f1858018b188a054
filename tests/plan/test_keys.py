"""Which columns of an answer no two rows share."""

from __future__ import annotations

import pytest
from helpers.plans import plan

from streamtables.plan.keys import unique_key

A = "(SELECT DISTINCT k FROM l) a"
B = "(SELECT k, MAX(n) AS n, COUNT(*) AS c FROM r GROUP BY k) b"


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
        (f"SELECT a.k, b.n FROM {A} LEFT JOIN {B} ON a.k = b.k", (0,)),
        (f"SELECT a.k, b.n FROM {A} RIGHT JOIN {B} ON a.k = b.k", None),
        (f"SELECT b.k FROM {A} RIGHT JOIN {B} ON a.k = b.k", (0,)),
        (f"SELECT a.k, b.k AS bk FROM {A} LEFT JOIN {B} ON a.k > b.k", (0, 1)),
        (f"SELECT a.k, b.k AS bk FROM {A} LEFT JOIN {B} ON b.k = b.c", (0, 1)),
        (f"SELECT a.k, b.k AS bk FROM {A} FULL JOIN {B} ON a.k = b.k", None),
        (f"SELECT a.k, r.n FROM {A} LEFT JOIN r ON a.k = r.k", None),
        (f"SELECT a.k FROM {A} LEFT SEMI JOIN r ON a.k = r.k", (0,)),
        (f"SELECT a.k FROM {A} WHERE a.k NOT IN (SELECT k FROM r)", (0,)),
        (f"SELECT a.k, EXISTS (SELECT 1 FROM r WHERE r.k = a.k) AS e FROM {A}", (0,)),
        (f"SELECT a.k, (SELECT MAX(n) FROM r WHERE r.k = a.k) AS m FROM {A}", (0,)),
        ("SELECT k, COUNT(*) AS c, RANK() OVER (ORDER BY COUNT(*)) AS p FROM l GROUP BY k", (0,)),
        (f"SELECT a.k FROM {A} ORDER BY a.k LIMIT 1", (0,)),
        ("SELECT id, RANK() OVER (PARTITION BY k ORDER BY id) AS p FROM l", None),
        ("SELECT k, explode(sequence(1, k)) AS x FROM l GROUP BY k", None),
        (
            "SELECT k, p FROM (SELECT DISTINCT k FROM l) LATERAL VIEW posexplode(sequence(1, k)) t AS p, x",
            (0, 1),
        ),
        ("SELECT k, id FROM l QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1", (0,)),
        ("SELECT k, id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS i FROM l", (0, 2)),
        ("SELECT k, id FROM l QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) <= 2", None),
        ("SELECT k, id FROM l QUALIFY RANK() OVER (PARTITION BY k ORDER BY id) = 1", None),
        ("SELECT id, k, COUNT(*) AS c FROM l GROUP BY id, k HAVING 3 = k", (0,)),
        (
            "SELECT k, id, c FROM (SELECT id, k, COUNT(*) AS c FROM l GROUP BY id, k) WHERE k = 3",
            (1,),
        ),
        (f"SELECT a.k, b.n FROM {A} JOIN {B} ON a.k = b.k", (0,)),
        (f"SELECT b.k, b.n FROM {A} JOIN {B} ON a.k = b.k", (0,)),
        (f"SELECT a.k, b.k AS bk FROM {A} JOIN {B} ON a.k = b.n", (0, 1)),
        (f"SELECT a.k FROM {A} JOIN {B} ON a.k + 1 = b.k", None),
        (f"SELECT a.k, b.k AS bk FROM {A} JOIN {B} ON a.k < b.k", (0, 1)),
        ("SELECT DISTINCT k, c FROM (SELECT k, COUNT(*) AS c FROM l GROUP BY k)", (0,)),
        ("SELECT 1 AS b, k FROM l GROUP BY k UNION ALL SELECT 2, k FROM r GROUP BY k", (0, 1)),
        ("SELECT 1 AS b, k FROM l GROUP BY k UNION ALL SELECT 1, k FROM r GROUP BY k", None),
        ("SELECT 1 AS b, k FROM l UNION ALL SELECT 2, k FROM r GROUP BY k", None),
        (
            "SELECT k, c FROM (SELECT k, COUNT(*) AS c FROM l GROUP BY k) EXCEPT ALL SELECT k, n FROM r",
            (0,),
        ),
        ("SELECT k, n FROM r INTERSECT ALL SELECT k, MAX(id) FROM l GROUP BY k", (0,)),
    ],
)
def test_key(query: str, positions: tuple[int, ...] | None) -> None:
    tree = plan(query)
    key = unique_key(tree)
    assert (None if key is None else tuple(map(tree.columns.index, key))) == positions


def test_text_and_number_tie_nothing() -> None:
    """'1' and '01' both equal 1: of one group of numbers there may be two of texts."""
    right = "(SELECT n, COUNT(*) AS c FROM r GROUP BY n) b"
    tree = plan(f"SELECT a.k, b.c FROM {A} LEFT JOIN {right} ON a.k = b.n")
    assert unique_key(tree) is None
