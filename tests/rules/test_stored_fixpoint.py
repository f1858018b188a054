"""The rule of recursions whose rows are stored."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from helpers.plans import delta, shown

from streamtables.plan.show import show
from streamtables.testing.random_case import assert_incremental_equals_full

if TYPE_CHECKING:
    from streamtables.plan.delta import Rounds

QUERY = (
    "WITH RECURSIVE t (a, b) AS (SELECT id, k FROM l WHERE k IS NULL UNION ALL {step}) "
    "SELECT {what} FROM t"
)
STEP = "SELECT r.k, t.b FROM t JOIN r ON r.k = t.a"


def rounds(step: str = STEP, what: str = "a, b", *touched: str) -> Rounds | None:
    """How the last stage of a recursion's change goes on."""
    found = delta(QUERY.format(step=step, what=what), *touched or ("r",))
    assert found is not None
    return next((stage.rounds for stage in found.stages if stage.rounds), None)


def test_it_goes_on_from_what_changed() -> None:
    found = rounds()
    assert found is not None
    assert (found.last.names[-1], found.most) == ("_weight", 100)
    text = shown(QUERY.format(step=STEP, what="b, a + 1 AS c, a"), "r")
    assert text.count("Fixpoint") == 1
    assert text.index("where that does not end") < text.index("Fixpoint")


@pytest.mark.parametrize("touched", [("l",), ("r",), ("l", "r")])
def test_whatever_changed(touched: tuple[str, ...]) -> None:
    assert rounds(STEP, "a, b", *touched)


@pytest.mark.parametrize(
    "step",
    [
        "SELECT r.k, t.b FROM t JOIN (SELECT k, MIN(n) AS n FROM r GROUP BY k) r ON r.k = t.a",
        "SELECT r.k, t.b FROM t LEFT JOIN r ON r.k = t.a WHERE t.b < 3",
        "SELECT t.a + 1, t.b FROM t WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = t.a) AND t.a < 9",
    ],
)
def test_linear_steps(step: str) -> None:
    assert rounds(step)


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (STEP, "a"),  # a column is not stored
        (STEP, "a + 0 AS a, b"),
        ("SELECT r.k, t.b FROM t JOIN t u ON u.a = t.b JOIN r ON r.k = t.a", "a, b"),
    ],
)
def test_what_is_compared_with_what_is_stored(step: str, what: str) -> None:
    assert rounds(step, what) is None


def test_where_not_all_rows_are_stored() -> None:
    found = delta(f"{QUERY.format(step=STEP, what='a, b')} WHERE a > 1", "r")
    assert found is not None
    assert found.is_compared


def test_rounds_end_where_nothing_is_found_or_too_much_is() -> None:
    found = delta(QUERY.format(step=STEP, what="a, b"), "r")
    assert found is not None
    stage = found.stages[-1]
    assert stage.rounds is not None
    few = iter((3, 1, 0))
    assert "Fixpoint" not in show(stage.followed(lambda *_: next(few)))
    for copies in (1, 10**12, None):
        assert stage.followed(lambda *_, found=copies: found) is stage.rounds.otherwise


TREE = (
    "WITH RECURSIVE t AS (SELECT id{first} FROM node WHERE pid IS NULL "
    "UNION ALL SELECT x.id{next} FROM node x JOIN t ON x.pid = t.id) SELECT * FROM t"
)


@pytest.mark.parametrize("columns", [("", ""), (", id AS root, 0 AS h", ", t.root, t.h + 1")])
def test_trees_that_are_cut_grafted_and_tied_to_themselves(columns: tuple[str, str]) -> None:
    rng = Random(7)
    made = "CREATE TABLE node (id INT, pid INT); INSERT INTO node VALUES " + ", ".join(
        f"({i}, {rng.randrange(i) if i > 1 else 'NULL'})" for i in range(1, 15)
    )
    batches = [[_moved(rng) for _ in range(rng.randrange(1, 4))] for _ in range(80)]
    query = TREE.format(first=columns[0], next=columns[1])
    assert_incremental_equals_full(query, made.split("; "), batches)


def _moved(rng: Random) -> str:
    """A node, or two of them, below any other, or at the top, or gone; none comes twice."""
    node, other = rng.randrange(1, 15), rng.randrange(1, 15)
    to = "NULL" if rng.random() < 0.2 else str(rng.randrange(1, 15))
    return rng.choice(
        [
            f"UPDATE node SET pid = {to} WHERE id = {node}",
            f"UPDATE node SET pid = {to} WHERE id IN ({node}, {other})",
            f"DELETE FROM node WHERE id = {node}",
            f"INSERT INTO node SELECT {node}, {to} WHERE NOT EXISTS (SELECT 1 FROM node WHERE id = {node})",
        ]
    )
