"""`FROM t |> WHERE … |> AGGREGATE …` written out as SELECTs, before anything else reads the text.

Each operator becomes a SELECT around what comes before it. A joined or filtered table keeps its name, and so does what
`|> AS name` names. SET is refused by name: it puts a column where the old one was, which no list of a SELECT says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import TokenType
from sqlglot.errors import TokenError

from streamtables.errors import UnsupportedQuery
from streamtables.sql.dialect import Exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import Token

_JOINS = ("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "LATERAL")
_SETS = ("UNION", "EXCEPT", "INTERSECT", "MINUS")
_SORTS = ("ORDER", "SORT", "CLUSTER", "DISTRIBUTE")
_CLAUSES = ("GROUP", "WINDOW")


@dataclass(frozen=True)
class _Piece:
    """A token or a whole group in parentheses: its word in capitals, and its text with the blanks before it."""

    word: str
    text: str


def without_pipes(text: str) -> str:
    """The text without pipes.

    >>> without_pipes("FROM t |> WHERE a > 1 |> SELECT a")
    'SELECT a FROM (SELECT * FROM t WHERE a > 1) AS t'
    """
    try:
        tokens = Exact().tokenize(text)
    except TokenError:
        return text
    if not any(token.token_type == TokenType.PIPE_GT for token in tokens):
        return text
    pieces, _, end = _group(text, tokens, 0, 0)
    while pieces[-1].word == ";":
        pieces.pop()
    return _written(pieces) + text[end:]


def _group(
    text: str, tokens: Sequence[Token], index: int, position: int
) -> tuple[list[_Piece], int, int]:
    """The pieces up to the parenthesis that closes, groups inside written out; where that is in tokens and text."""
    pieces = []
    while index < len(tokens) and tokens[index].token_type != TokenType.R_PAREN:
        token = tokens[index]
        before = text[position : token.start]
        index, position = index + 1, token.end + 1
        if token.token_type != TokenType.L_PAREN:
            pieces.append(
                _Piece(token.text.upper().split()[0], before + text[token.start : position])
            )
            continue
        inner, index, start = _group(text, tokens, index, position)
        position = tokens[index].end + 1 if index < len(tokens) else len(text)
        index += 1
        pieces.append(_Piece("(", f"{before}({_written(inner)}{text[start:position]}"))
    return pieces, index, position


def _written(pieces: Sequence[_Piece]) -> str:
    """A group, its pipes written out."""
    parts = _split(pieces, "|>")
    if len(parts) == 1:
        return _text(pieces)
    ctes, head = _ctes(parts[0])
    chain = _Chain(head)
    for part in parts[1:]:
        chain.follow(part)
    return ctes + chain.query()


class _Chain:
    """The query so far: what it reads, as the text of a FROM, and what it is called there."""

    def __init__(self, head: Sequence[_Piece]) -> None:
        self._order, self._alias, self._count = "", "", 0
        if head[0].word in ("FROM", "TABLE") and not any(part.word == "SELECT" for part in head):
            self._source = _text(head[1:]).strip()
            self._alias = head[-1].text.strip().split(".")[-1] if head[-1].word != "(" else ""
        else:
            self._within(_text(head).strip())

    def query(self) -> str:
        """The query itself."""
        if self._source.startswith("(") and self._source.endswith(f") AS {self._alias}"):
            return self._source.removesuffix(f") AS {self._alias}").removeprefix("(")
        return f"SELECT * FROM {self._source}"

    def follow(self, part: Sequence[_Piece]) -> None:
        """Put an operator around the query."""
        word, rest = part[0].word, _text(part[1:]).strip()
        if word in ("LIMIT", "OFFSET"):
            self._within(f"SELECT * FROM {self._source}{self._order} {word} {rest}")
        elif word in _SORTS:
            self._sort(part)
            return
        elif word in _JOINS:
            self._source = f"{self._source} {_text(part).strip()}"
        elif word in _SETS:
            self._within(f"(SELECT * FROM {self._source}) {_text(part).strip()}")
        elif word in ("PIVOT", "UNPIVOT"):
            self._within(f"SELECT * FROM ({self.query()}) {word} {rest}")
        elif word == "AS":
            self._source = f"({self.query()}) AS {rest}"
            self._alias = rest
        else:
            self._select(word, part[1:], rest)
        self._order = ""

    def _select(self, word: str, part: Sequence[_Piece], rest: str) -> None:
        if word == "WHERE":
            self._within(f"SELECT * FROM {self._source} WHERE {rest}")
        elif word == "EXTEND":
            self._within(f"SELECT *, {rest} FROM {self._source}")
        elif word == "DROP":
            self._within(f"SELECT * EXCEPT ({rest}) FROM {self._source}")
        elif word == "SELECT":
            at = next((i for i, piece in enumerate(part) if piece.word in _CLAUSES), len(part))
            listed, clauses = _text(part[:at]).strip(), _text(part[at:])
            self._alias = ""
            self._within(f"SELECT {listed} FROM {self._source}{clauses}")
        elif word == "AGGREGATE":
            self._aggregate(part)
        else:
            raise UnsupportedQuery(
                "PIPE", f"|> {word} is not understood", hint="Write it as a SELECT, without |>."
            )

    def _aggregate(self, part: Sequence[_Piece]) -> None:
        """The keys, then the aggregates, grouped by the places of the keys."""
        calls, *grouped = _split(part, "GROUP")
        keys = grouped[0] if grouped else []
        items = [_text(item).strip() for item in (*_split(keys, ","), *_split(calls, ",")) if item]
        numbers = ", ".join(str(i + 1) for i in range(len(_split(keys, ",")))) if keys else ""
        by = f" GROUP BY {numbers}" if keys else ""
        self._alias = ""
        self._within(f"SELECT {', '.join(items)} FROM {self._source}{by}")

    def _sort(self, part: Sequence[_Piece]) -> None:
        """An order counts for a LIMIT behind it."""
        text = _text(part).strip()
        if any(piece.word in ("LIMIT", "OFFSET") for piece in part):
            self._within(f"SELECT * FROM {self._source} {text}")
        else:
            self._order = f" {text}"

    def _within(self, query: str) -> None:
        if not self._alias:
            self._count += 1
            self._alias = f"_pipe_{self._count}"
        self._source = f"({query}) AS {self._alias}"


def _ctes(head: Sequence[_Piece]) -> tuple[str, Sequence[_Piece]]:
    """The WITH clause before a query, and the query."""
    if head[0].word != "WITH":
        return "", head
    at = 1
    for i, piece in enumerate(head):
        if piece.word == "(" and head[i - 1].word == "AS":
            at = i + 1
            if at == len(head) or head[at].word != ",":
                break
    return f"{_text(head[:at])} ", head[at:]


def _split(pieces: Sequence[_Piece], word: str) -> list[list[_Piece]]:
    parts: list[list[_Piece]] = [[]]
    for piece in pieces:
        if piece.word == word:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _text(pieces: Sequence[_Piece]) -> str:
    return "".join(piece.text for piece in pieces)
