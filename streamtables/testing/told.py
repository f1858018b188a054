"""Rows as a case tells them, and as `--st-record` writes them: literals as in VALUES, `|` between rows."""

from __future__ import annotations

import datetime
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from streamtables.sql.dialect import Exact
from streamtables.testing.bags import Row, bag

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTHING = "nothing"


class CaseError(Exception):
    """A case file that does not follow the format."""


def told_rows(text: str) -> Counter[Row]:
    """The rows of an `answer`; `nothing` for none.

    >>> told_rows("1, 'x' | NULL, 2.5 | 1, 'x'")
    Counter({(1, 'x'): 2, (None, Decimal('2.5')): 1})
    >>> told_rows("'a|b', ARRAY(1, 2)")
    Counter({('a|b', (1, 2)): 1})
    """
    return bag(_row(part) for part in _parts(text))


def told_change(text: str) -> Counter[Row]:
    """The rows of an `expect`, with their signs: one without has that of the row before.

    >>> told_change("+ 1 | 2 | - -3")
    Counter({(1,): 1, (2,): 1, (-3,): -1})
    """
    found: Counter[Row] = Counter()
    sign = 0
    for part in _parts(text):
        first, _, rest = part.partition(" ")
        is_signed = first in ("+", "-")  # `- 1` is a row that goes, `-1` a number
        sign = {"+": 1, "-": -1}[first] if is_signed else sign
        if not sign:
            raise CaseError("`-- expect:` begins with + or - and a space")
        for row in bag([_row(rest if is_signed else part)]):
            found[row] += sign
    return found


def literal(value: Any) -> str:
    """A value as a case tells it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str) and "\n" not in value:
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    if isinstance(value, (int, Decimal)):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value}'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))})"
    raise CaseError(f"{value!r} cannot be written as what is expected")


def _parts(text: str) -> Iterator[str]:
    """The texts between the bars that stand in no string."""
    if text.strip().lower() == NOTHING:
        return
    try:
        tokens = Exact().tokenize(text)
    except SqlglotError as error:
        raise CaseError(f"the rows cannot be read: {error}") from None
    begin = 0
    for end in (*(token.start for token in tokens if token.token_type == TokenType.PIPE), None):
        part = text[begin:end].strip()
        if not part:
            raise CaseError(f"there is an empty row; write `{NOTHING}` for none")
        yield part
        begin = end + 1 if end is not None else 0


def _row(text: str) -> Row:
    try:
        trees = sqlglot.parse_one(f"SELECT {text}", read=Exact).expressions
        return tuple(map(_value, trees))
    except (SqlglotError, ValueError, ArithmeticError, KeyError) as error:
        words = str(error).splitlines()[0] if isinstance(error, SqlglotError) else "no literals"
        raise CaseError(f"this row cannot be read: {text} ({words})") from None


def _value(tree: exp.Expr) -> Any:
    if isinstance(tree, exp.Paren):
        return (_value(tree.this),)
    if isinstance(tree, exp.Neg):
        return -_value(tree.this)
    if isinstance(tree, exp.Cast):
        return _cast(_value(tree.this), tree.to.this.name)
    if isinstance(tree, exp.Literal):
        return tree.name if tree.is_string else Decimal(tree.name)
    if isinstance(tree, exp.HexString):
        return bytes.fromhex(tree.name)
    if isinstance(tree, (exp.Array, exp.Tuple)):
        return [_value(part) for part in tree.expressions]
    if isinstance(tree, exp.Anonymous):
        return _call(tree.name.lower(), [_value(part) for part in tree.expressions])
    return {"Null": None, "Boolean": tree.this}[type(tree).__name__]


def _call(name: str, values: list[Any]) -> Any:
    """What a constructor makes of its arguments."""
    if name == "struct":
        return values
    if name == "named_struct":
        return values[1::2]
    if name == "map":
        return dict(zip(values[::2], values[1::2], strict=True))
    return _cast(values[0], {"date": "DATE", "double": "DOUBLE", "timestamp": "TIMESTAMP"}[name])


def _cast(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "DATE":
        return datetime.date.fromisoformat(value)
    if kind.startswith("TIMESTAMP"):
        return datetime.datetime.fromisoformat(value)
    if kind in ("DOUBLE", "FLOAT"):
        return float(value)
    return str(value) if kind in ("TEXT", "VARCHAR", "CHAR") else Decimal(value)
