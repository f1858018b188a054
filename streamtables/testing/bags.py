"""Bags of rows: compared both ways, and told apart with the smallest rows first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]
SHOWN = 10


def bag(rows: Iterable[Iterable[Any]]) -> Counter[Row]:
    """The rows and how often each occurs; equal numbers are one value, whatever their type.

    >>> bag([(1, None), (Decimal("1.0"), None)])
    Counter({(1, None): 2})
    """
    return Counter(tuple(plain(value) for value in row) for row in rows)


def plain(value: Any) -> Any:
    """A value that can be compared and hashed: numbers by value, NaN equal to itself, -0.0 to 0.0; moments in UTC."""
    if isinstance(value, float):
        return _plain_float(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize()
    if isinstance(value, datetime) and value.tzinfo:
        return value.astimezone(timezone.utc).replace(tzinfo=None)
    if type(value).__name__ == "VariantVal":  # pyspark's, which no two of are equal
        return (bytes(value.value), bytes(value.metadata))
    if isinstance(value, Mapping):
        return tuple(sorted((plain(key), plain(part)) for key, part in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(plain(part) for part in value)
    return bytes(value) if isinstance(value, bytearray) else value


def assert_same(found: Counter[Row], expected: Counter[Row], about: str) -> None:
    """Fail, naming the rows that are too many and those that are missing, unless the bags are the same."""
    extra, missing = found - expected, expected - found
    _forget_close(extra, missing)
    if extra or missing:
        raise AssertionError(f"{about}\n{_lines('too many', extra)}{_lines('missing', missing)}")


def _plain_float(value: float) -> Any:
    if math.isnan(value) or math.isinf(value):
        return str(value)
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else Decimal(repr(rounded)).normalize()


def _forget_close(extra: Counter[Row], missing: Counter[Row]) -> None:
    """Take out pairs of rows that differ by no more than the order of adding up floats, or dates told as text."""
    for row in list(extra.elements()):
        for other in missing:
            if len(row) == len(other) and all(map(_is_close, row, other)):
                extra -= Counter([row])
                missing -= Counter([other])
                break


def _is_close(one: Any, other: Any) -> bool:
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, date) and isinstance(other, str):  # told as in VALUES
        return str(one) == other.replace("T", " ")
    return bool(one == other)


def _lines(word: str, rows: Counter[Row]) -> str:
    if not rows:
        return ""
    smallest = sorted(rows.items(), key=lambda found: (len(repr(found[0])), repr(found[0])))
    lines = [
        f"  {word}: {row}{f' × {count}' if count > 1 else ''}" for row, count in smallest[:SHOWN]
    ]
    more = len(smallest) - SHOWN
    return "\n".join([*lines, *([f"  … {more} more rows {word}"] if more > 0 else [])]) + "\n"
