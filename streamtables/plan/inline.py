"""Expressions written into those above them: what is computed in one place need not be computed in two steps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamtables.plan.expr import Item

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.plan.expr import Expr


def inlined(items: Sequence[Item], below: Mapping[str, Expr]) -> tuple[Item, ...] | None:
    """Items over the columns of a projection, over what that reads; None where something would be computed twice."""
    uses = Counter(name for part in items for name in part.expr.column_uses())
    if any(count > 1 and not below[name].is_free for name, count in uses.items()):
        return None
    return tuple(Item(part.name, _over(part.expr, below)) for part in items)


def _over(expr: Expr, below: Mapping[str, Expr]) -> Expr:
    return below[expr.column] if expr.column else expr.replaced(below)
