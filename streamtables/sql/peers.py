"""Window functions over a frame by RANGE that leave open how equal rows fall, as windows that do not.

A frame that ends at the current row ends, by RANGE, at the last of its peers, the rows with equal order keys. So with
ties broken (ties.py), what a call gives up to each row is counted by ROWS, and every row takes what the last of its
peers has:

    c     = f(x) OVER (PARTITION BY p ORDER BY o, ties ROWS UNBOUNDED PRECEDING)
    r     = row_number() OVER (PARTITION BY p ORDER BY o, ties)
    f(x) OVER (PARTITION BY p ORDER BY o) = last_value(c) OVER (PARTITION BY p, o ORDER BY r ROWS …)

In any other frame the first and the last row are those of least and greatest r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col, item
from streamtables.sql.aggregates import bare
from streamtables.sql.refuse import calls
from streamtables.sql.ties import FIRST, LAST, ordered

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_peers(node: n.Window, found: Item, ties: Sequence[str]) -> n.Node | None:
    """The node's input with the item beside it; None where its frame leaves something open for good."""
    window = found.expr.tree
    running = _up_to_current_row(window)
    name = next(calls(bare(window.this)))[0]
    if not running and name not in FIRST | LAST:
        return None
    order = window.args["order"].expressions
    sorted_by = [
        Item(f"_by_{i}", Expr(key.this))
        for i, key in enumerate(order)
        if not isinstance(key.this, exp.Column)
    ]
    child = node.child
    if sorted_by:
        child = n.Project(child, (*map(item, child.columns), *sorted_by))
    counted = window.copy()
    counted.set("this", exp.Anonymous(this="row_number", expressions=[]))
    counted.set("spec", None)
    rank = Item("_rank", ordered(counted, ties))
    if running:
        upto = Item("_upto", ordered(window, ties, upto=True))
        child = n.Window(child, node.keys, (rank, upto))
        own = {key.this.name for key in order if isinstance(key.this, exp.Column)}
        peers = tuple(dict.fromkeys((*node.keys, *sorted(own), *(part.name for part in sorted_by))))
        whole = exp.Window(
            this=exp.Anonymous(this="last_value", expressions=[col("_upto").tree]),
            partition_by=[col(name).tree for name in peers],
        )
        last = ordered(whole, ["_rank"], whole=True)
        made: n.Node = n.Window(child, peers, (Item(found.name, last),))
    else:
        child = n.Window(child, node.keys, (rank,))
        taken = window.copy()
        taken.set("this", _outermost(window, "max_by" if name in LAST else "min_by"))
        made = n.Window(child, node.keys, (Item(found.name, Expr(taken)),))
    return n.Project(made, (*map(item, node.child.columns), item(found.name)))


def _up_to_current_row(window: exp.Expr) -> bool:
    spec = window.args.get("spec")
    if spec is None:
        return True
    start, end = (str(spec.args.get(end) or "CURRENT ROW").upper() for end in ("start", "end"))
    return start == "UNBOUNDED" and end == "CURRENT ROW"


def _outermost(window: exp.Expr, name: str) -> exp.Expr:
    """The value of the first or last row of a frame, or of those with a value where NULLs are ignored."""
    call = bare(window.this)
    arguments = [*([call.this] if isinstance(call.this, exp.Expr) else ()), *call.expressions]
    value, rank = arguments[0], col("_rank").tree
    is_told = len(arguments) > 1 and arguments[1].sql().upper() == "TRUE"
    if is_told or window.find(exp.IgnoreNulls):
        present = exp.Not(this=exp.Is(this=exp.paren(value.copy()), expression=exp.null()))
        rank = exp.Case().when(present, rank)
    return _by(name, value, rank)


def _by(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[part.copy() for part in arguments])
