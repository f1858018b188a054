"""A view under random changes."""

from __future__ import annotations

import pytest

from streamtables.errors import InvalidQuery, UnknownColumn
from streamtables.testing import assert_incremental_equals_full
from streamtables.testing.duck import CannotRun, Duck
from streamtables.testing.told import CaseError

ORDERS = {"orders": "id INT, region STRING, amount DECIMAL(10,2), day DATE, weight FLOAT"}
TOTALS = "SELECT region, sum(amount) AS total FROM orders WHERE region <> 'EU' GROUP BY region"


def test_a_right_view_passes() -> None:
    assert_incremental_equals_full(TOTALS, ORDERS, rounds=5)


def test_changes_may_be_given() -> None:
    tables = ["CREATE TABLE shop.t (x INT)", "INSERT INTO shop.t VALUES (1)"]
    changes = ["DELETE FROM shop.t", ["INSERT INTO shop.t VALUES (2)", "UPDATE shop.t SET x = 3"]]
    assert_incremental_equals_full("SELECT DISTINCT x FROM shop.t", tables, changes)


def test_moments_with_a_zone() -> None:
    table = {"t": "id INT, at TIMESTAMP, local TIMESTAMP_NTZ"}
    assert_incremental_equals_full("SELECT local, max(at) AS at FROM t GROUP BY local", table)


def test_a_view_that_reads_the_time_is_for_spark() -> None:
    with pytest.raises(CannotRun, match="run it on Spark"):
        assert_incremental_equals_full("SELECT at FROM t WHERE at < now()", {"t": "at TIMESTAMP"})


def test_a_fault_is_shown_by_the_smallest_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duck, "_insert", lambda *_: None)
    with pytest.raises(AssertionError) as caught:
        assert_incremental_equals_full(TOTALS, ORDERS, rounds=5)
    said = str(caught.value)
    assert "missing: " in said
    assert said.count("-- change:") == 1
    assert said.count("INSERT INTO orders") == 1


def test_a_view_without_a_rule_fails() -> None:
    with pytest.raises(AssertionError, match="a LIMIT that is not a number"):
        assert_incremental_equals_full(
            "SELECT id FROM orders ORDER BY id LIMIT length('xy')", ORDERS, rounds=1
        )


def test_a_type_without_values_is_refused() -> None:
    with pytest.raises(CaseError, match="array<int>"):
        assert_incremental_equals_full("SELECT x FROM t", {"t": "x ARRAY<INT>"})


@pytest.mark.parametrize(
    ("view", "tables", "kind", "words"),
    [
        ("SELECT amuont FROM t", {"t": "amount INT"}, UnknownColumn, "Did you mean amount"),
        ("SELECT FROM WHERE", {"t": "amount INT"}, InvalidQuery, "line 1, column"),
        ("SELECT x FROM t", {"t": "x"}, CaseError, "column x has no type"),
        ("SELECT soundex(x) AS x FROM t", {"t": "x STRING"}, CannotRun, "give `stream_tables`"),
    ],
)
def test_what_is_wrong_with_the_call_is_said(
    view: str, tables: dict[str, str], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        assert_incremental_equals_full(view, tables)
