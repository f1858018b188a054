"""Window functions over rows that their ORDER BY leaves equal, in forms whose answer the rows alone decide.

Ties are broken by all other columns that the plan still carries, so that rows which stay equal are equal to everyone
who reads them. RANK and its like treat equal rows alike, and so does a frame by RANGE: they need nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import Expr, col
from streamtables.sql import functions
from streamtables.sql.aggregates import bare
from streamtables.sql.refuse import calls

if TYPE_CHECKING:
    from collections.abc import Sequence

# The answer depends on how ties fall, whatever the frame.
_NUMBERED = frozenset(["row_number", "ntile", "lag", "lead"])
_EQUAL_ALIKE = frozenset(["rank", "dense_rank", "percent_rank", "cume_dist"])
FIRST = frozenset(["first", "first_value", "any_value"])
LAST = frozenset(["last", "last_value"])
_PLACED = frozenset([*FIRST, *LAST, "nth_value"])


def untied(expr: Expr, columns: Sequence[str], floats: frozenset[str]) -> Expr | None:
    """A window call whose answer the rows decide, or None where one call does not do; `columns` break ties."""
    window = expr.tree
    assert isinstance(window, exp.Window)
    name = next(calls(bare(window.this)))[0]
    order = window.args.get("order")
    if name in _EQUAL_ALIKE:
        return expr
    if name in _NUMBERED:
        return ordered(window, columns)
    depends = name in _PLACED or not _adds_up(name, window, floats)
    if order is None:
        return ordered(window, columns, whole=True) if depends else expr
    spec = window.args.get("spec")
    kind = str(spec.args.get("kind") or "range").lower() if spec else "range"
    if kind == "rows":
        return ordered(window, columns)
    if not depends or name in functions.STABLE or _is_known(window):
        return expr
    if spec and _is_unbounded(spec, "start") and _is_unbounded(spec, "end"):
        return ordered(window, columns, whole=True)
    if name in FIRST and not window.find(exp.IgnoreNulls):
        return ordered(window, columns, upto=True)
    return None


def _adds_up(name: str, window: exp.Window, floats: frozenset[str]) -> bool:
    """Whether an aggregate is the same in whatever order its rows come."""
    from streamtables.sql.typed import is_float

    if name in functions.SUMS:
        return not any(is_float(part, floats) for part in bare(window.this).iter_expressions())
    return name in functions.STABLE


def _is_known(window: exp.Window) -> bool:
    """Whether the call reads only what the window sorts or parts by, in which equal rows are equal."""
    order = window.args["order"].expressions
    sorted_by = {key.this.name for key in order if isinstance(key.this, exp.Column)}
    sorted_by |= {key.name for key in window.args.get("partition_by") or ()}
    return {found.name for found in window.this.find_all(exp.Column)} <= sorted_by


def _is_unbounded(spec: exp.Expr, end: str) -> bool:
    return str(spec.args.get(end)).upper() == "UNBOUNDED"


def ordered(
    window: exp.Expr, columns: Sequence[str], *, whole: bool = False, upto: bool = False
) -> Expr:
    """The call with ties broken; its frame by rows where it was the whole partition, or all up to the row."""
    made = window.copy()
    order = made.args.get("order")
    keys = list(order.expressions) if order else []
    fixed = {key.this.name for key in keys if isinstance(key.this, exp.Column)}
    fixed |= {key.name for key in made.args.get("partition_by") or ()}
    ties = [exp.Ordered(this=col(name).tree) for name in columns if name not in fixed]
    if not ties and keys and not whole and not upto:
        return Expr(window)
    if not ties and not keys:
        return Expr(window)
    made.set("order", exp.Order(expressions=[*keys, *ties]))
    if whole or upto:
        end = {"end": "UNBOUNDED", "end_side": "FOLLOWING"} if whole else {"end": "CURRENT ROW"}
        spec = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", **end)
        made.set("spec", spec)
    return Expr(made)
