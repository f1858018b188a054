"""Values as literals, exact or not at all."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from streamtables.sql.literals import literal
from streamtables.testing.duck import in_duckdb

if TYPE_CHECKING:
    import duckdb


@pytest.mark.parametrize(
    "value",
    [
        0,
        -7,
        2**31,
        -(2**63),
        True,
        False,
        "",
        "it's",
        'a"b',
        "back\\slash",
        "line\nbreak",
        "ü",
        None,
        Decimal("0"),
        Decimal("-0.001"),
        Decimal("123456789.12"),
        Decimal("1E+3"),
        datetime.date(1, 1, 1),
        datetime.date(2024, 2, 29),
        datetime.datetime(2024, 2, 29, 12, 0, 0, 123456),
    ],
    ids=repr,
)
def test_a_value_is_read_back_as_itself(value: object, duck: duckdb.DuckDBPyConnection) -> None:
    found = literal(value)
    assert found is not None
    (row,) = duck.execute(in_duckdb(f"SELECT {found} AS x")).fetchall()
    assert row == (value,)


@pytest.mark.parametrize("value", [1.5, float("nan"), b"x", [1], {"a": 1}], ids=repr)
def test_other_types_have_none(value: object) -> None:
    assert literal(value) is None
