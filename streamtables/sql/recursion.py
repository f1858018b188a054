"""WITH RECURSIVE: a base, and a step over the rows found last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.walk import every, find
from streamtables.sql.ctes import ctes_of
from streamtables.sql.dialect import MOST_LEVELS
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
    ctes = {**ctes, **ctes_of(union)}
    base = lower.query(union.left, ctes)
    alias = cte.args["alias"]
    levels = alias.meta.get(MOST_LEVELS)
    written = [column.name for column in alias.columns] or [c for c, _ in base.columns]
    names = tuple(lower.names.fresh(column) for column in written)
    word = lower.names.fresh(f"{name}_rows")
    with lower.recursing(name, n.Recur(word, names), written):
        step = lower.query(union.right, ctes)
    if any(_is_turned_aside(node, word) for node in every(step.plan)):
        raise without_rule("RECURSION", cte)
    plan = n.Fixpoint(word, base.plan, step.plan, names, levels.name if levels else "")
    return Answer(plan, tuple(zip(written, names, strict=True)))


def _is_turned_aside(node: n.Node, word: str) -> bool:
    """Whether an operator reads the rows found last where Spark does not allow it."""
    if isinstance(node, n.Match):
        asked = (node.left, node.right) if node.kind == "full" else (node.right,)
    elif isinstance(node, (n.Aggregate, n.Window, n.Distinct)):
        asked = (node.child,)
    else:
        return False
    return any(found.name == word for part in asked for found in find(part, n.Recur))
