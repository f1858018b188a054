"""WITH RECURSIVE: a base, and a step over the rows found last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.sql.refuse import without_rule
from streamtables.sql.scope import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.sql.lower import Lower


def is_recursive(name: str, cte: exp.Expr) -> bool:
    """Whether a CTE reads itself."""
    return any(table.name == name and not table.args.get("db") for table in cte.find_all(exp.Table))


def fixpoint(lower: Lower, name: str, cte: exp.Expr, ctes: Mapping[str, exp.Expr]) -> Answer:
    """The plan of a recursive CTE, lowered anew at each use."""
    union = cte.this.unnest() if isinstance(cte.this, exp.Subquery) else cte.this
    if not isinstance(union, exp.Union) or is_recursive(name, union.left):
        raise without_rule("RECURSION", cte)
    if union.args.get("distinct"):
        raise without_rule("RECURSION", union)
    base = lower.query(union.left, ctes)
    written = [column.name for column in cte.args["alias"].columns] or [c for c, _ in base.columns]
    names = tuple(lower.names.fresh(column) for column in written)
    word = lower.names.fresh(f"{name}_rows")
    with lower.recursing(name, n.Recur(word, names), written):
        step = lower.query(union.right, ctes)
    plan = n.Fixpoint(word, base.plan, step.plan, names)
    return Answer(plan, tuple(zip(written, names, strict=True)))
