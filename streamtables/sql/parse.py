"""Text to a sqlglot tree; what is not one query is refused with its place."""

from __future__ import annotations

from itertools import zip_longest

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import ParseError, TokenError

from streamtables.errors import InvalidQuery, Place, UnsupportedQuery
from streamtables.sql.dialect import Exact
from streamtables.sql.spelled_out import edited

_BEFORE_A_QUERY = (
    TokenType.L_PAREN,
    TokenType.UNION,
    TokenType.INTERSECT,
    TokenType.EXCEPT,
    TokenType.ALL,
    TokenType.DISTINCT,
)


def parse_query(text: str) -> exp.Query:
    """The tree of one query.

    >>> parse_query("SELECT 1 AS x").named_selects
    ['x']
    """
    trees = [tree for tree in parse_statements(text) if tree is not None]
    if not trees:
        raise InvalidQuery("The query is empty", hint="Give one SELECT.")
    if len(trees) > 1:
        raise InvalidQuery(
            f"The query holds {len(trees)} statements",
            place=place(trees[1]),
            hint="Give one SELECT.",
        )
    tree = trees[0]
    if isinstance(tree, exp.Subquery) and not tree.alias:
        tree = tree.unnest()
    if isinstance(tree, exp.Values):
        tree.set("alias", exp.TableAlias(this=exp.to_identifier("_values")))
        tree = exp.select("*").from_(tree, copy=False)
    _refuse_computed_names(tree)
    if not isinstance(tree, exp.Query) or isinstance(tree, exp.Table):
        ours = "Give one SELECT, or CREATE STREAM TABLE name … AS one."
        is_creation = _word(text) == "CREATE"
        raise InvalidQuery(
            f"{_word(text)} is not a query", hint=ours if is_creation else "Give one SELECT."
        )
    return tree


def _refuse_computed_names(tree: exp.Expr) -> None:
    """Raise for IDENTIFIER(…): what it names cannot be followed."""
    for found in tree.find_all(exp.Anonymous):
        if found.name.upper() == "IDENTIFIER":
            raise UnsupportedQuery(
                "COMPUTED_NAME",
                "IDENTIFIER() says only when the query runs which table or column is meant",
                place=place(found),
                hint="Write the name itself.",
            )


def with_selects(text: str) -> str:
    """A text in which each `TABLE t` that is a query is `SELECT * FROM t`.

    >>> with_selects("TABLE a UNION ALL (TABLE b)")
    'SELECT * FROM a UNION ALL (SELECT * FROM b)'
    """
    try:
        tokens = Exact().tokenize(text)
    except TokenError:
        return text
    edits, begins = {}, True
    for token, after in zip_longest(tokens, tokens[1:]):
        is_name = after is not None and after.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        if begins and is_name and token.token_type == TokenType.TABLE:
            edits[token.start, token.end + 1] = "SELECT * FROM"
        begins = token.token_type in _BEFORE_A_QUERY
    return edited(text, edits)


def parse_statements(text: str) -> list[exp.Expr | None]:
    """The trees of all statements of a text."""
    try:
        return list(sqlglot.parse(text, read=Exact))
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        description = str(first.get("description", error)).split("<Token")[0].strip().rstrip(".")
        near = str(first.get("highlight") or "")
        raise InvalidQuery(
            f"The query does not parse: {description}{f' near {near!r}' if near else ''}",
            place=Place(first["line"], max(1, first["col"] - len(near) + 1))
            if first.get("line")
            else None,
        ) from None
    except TokenError as error:
        raise InvalidQuery(f"The query does not parse: {error}") from None


def place(tree: exp.Expr) -> Place | None:
    """Where a tree starts in the text, if sqlglot knows."""
    for found in tree.walk():
        if "line" in found.meta:
            meta = found.meta
            return Place(meta["line"], max(1, meta["col"] - (meta["end"] - meta["start"])))
    return None


def _word(text: str) -> str:
    return text.split(maxsplit=1)[0].upper()
