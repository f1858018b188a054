"""A window call taken apart: its function, what that is of, the order of the rows, and the frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamtables.plan.expr import Expr, Order

RANKS = ("row_number", "rank", "dense_rank")
SHIFTS = ("lag", "lead")
_SIGNS = {"PRECEDING": -1, "FOLLOWING": 1}
_END = re.compile(r"(UNBOUNDED|\d+) (PRECEDING|FOLLOWING)|CURRENT ROW")


@dataclass(frozen=True)
class Frame:
    """The rows around each row: by how many rows, or by equal ones, from `first` to `last`; None is without end."""

    is_by_rows: bool
    first: int | None
    last: int | None

    @classmethod
    def of_words(cls, words: tuple[str, ...], *, is_ordered: bool) -> Frame | None:
        """The frame that is written, or the one that SQL has where none is; None for one by distances of values."""
        if not words:
            return cls(is_by_rows=False, first=None, last=0 if is_ordered else None)
        unit, *written = words
        ends = [end for end in map(_END.fullmatch, written) if end]
        if len(ends) < len(written):
            return None
        first, last = map(_distance, ends)
        is_by_rows = unit == "ROWS"
        return cls(is_by_rows, first, last) if is_by_rows or not (first or last) else None


@dataclass(frozen=True)
class Over:
    """A function over rows in an order; `of` is missing where it is of the rows themselves."""

    name: str
    of: Expr | None
    order: tuple[Order, ...]
    frame: Frame
    offset: int = 1
    """How far away the row is that LAG or LEAD tells of."""

    @classmethod
    def of_expr(cls, expr: Expr) -> Over | None:
        """The parts of a call along columns; None for all else, and for what is rarely written."""
        call, order, words = expr.over() or (None, (), ())
        frame = Frame.of_words(words, is_ordered=bool(order))
        if call is None or frame is None:
            return None
        if words and call.call in (*RANKS, *SHIFTS):
            return None
        if call.call in RANKS:
            return cls(call.call, None, order, frame)
        if call.call in SHIFTS:
            of, *more = call.arguments
            offset = more[0].constant if more else 1
            if len(more) > 1 or not isinstance(offset, int):
                return None
            return cls(call.call, of, order, frame, offset)
        name, inner = call.aggregated() or ("", None)
        return cls(name, inner, order, frame) if name else None


def _distance(end: re.Match[str]) -> int | None:
    """How many rows away a frame begins or ends; None where it is without end."""
    if end[1] is None:
        return 0
    return None if end[1] == "UNBOUNDED" else _SIGNS[end[2]] * int(end[1])
