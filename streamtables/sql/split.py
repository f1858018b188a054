"""A text of several statements, cut at its semicolons."""

from __future__ import annotations

from sqlglot import TokenType
from sqlglot.errors import TokenError

from streamtables.errors import InvalidQuery
from streamtables.sql.dialect import Exact


def split_statements(text: str) -> tuple[list[str], str]:
    r"""The statements that end with a semicolon, without it, and what follows the last one.

    Semicolons in strings, names in backticks and comments end nothing.

    >>> split_statements("SELECT ';'; -- one; more\nSELECT 2")
    (["SELECT ';'"], '-- one; more\nSELECT 2')
    """
    try:
        tokens = Exact().tokenize(text)
    except TokenError as error:
        raise InvalidQuery(f"The text cannot be cut into statements: {error}") from None
    statements, begin, is_empty = [], 0, True
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            is_empty = False
            continue
        if not is_empty:
            statements.append(text[begin : token.start].strip())
        begin, is_empty = token.end + 1, True
    return statements, "" if is_empty else text[begin:].strip()
