"""What is not maintained incrementally: construct, reason code, words, way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.errors import UnsupportedQuery
from streamtables.sql import functions
from streamtables.sql.parse import place

if TYPE_CHECKING:
    from collections.abc import Iterator

# Constructs without a delta rule: such a query is refreshed by FULL. Reason code: (words, way out).
WITHOUT_RULE: dict[str, tuple[str, str]] = {
    "OUTER_JOIN": ("a {} has no delta rule", "Use refresh_mode FULL or AUTO."),
    "SUBQUERY": ("a subquery inside an expression has no delta rule", "Write it as a join."),
    "WINDOW": ("a window function has no delta rule", "Use refresh_mode FULL or AUTO."),
    "LATERAL": ("{} has no delta rule", "Use refresh_mode FULL or AUTO."),
    "GROUPING_SETS": ("{} has no delta rule", "Write one GROUP BY per set and UNION ALL them."),
    "LIMIT": ("LIMIT and OFFSET have no delta rule", "Use refresh_mode FULL or AUTO."),
    "RECURSION": ("WITH RECURSIVE has no delta rule", "Use refresh_mode FULL or AUTO."),
    "ORDER_DEPENDENT": (
        "{} depends on the order in which rows are met",
        "Use min, max, min_by or max_by, whose answer the rows alone decide.",
    ),
    "TIME_DEPENDENT": ("{} changes as time passes", "Use refresh_mode FULL or AUTO."),
    "CONSTRUCT": ("{} has no delta rule", "Use refresh_mode FULL or AUTO."),
}

# What no refresh can keep right, in any mode.
NEVER = {
    "NON_DETERMINISTIC": (
        "{} gives another answer at each call, so no table can equal the query",
        "Compute it once in a source table and read it from there.",
    ),
    "SESSION_DEPENDENT": (
        "{} depends on who runs the query",
        "Write the value itself.",
    ),
}


def without_rule(reason: str, tree: exp.Expr, what: str = "") -> UnsupportedQuery:
    """The error for a construct that has no delta rule."""
    words, hint = WITHOUT_RULE[reason]
    return UnsupportedQuery(
        reason,
        f"The query cannot be incremental: {words.format(what)}",
        place=place(tree),
        hint=hint,
    )


def refuse_never(tree: exp.Expr) -> None:
    """Raise for what no refresh can keep right."""
    for name, call in calls(tree):
        for reason, names in (
            ("NON_DETERMINISTIC", functions.RANDOM),
            ("SESSION_DEPENDENT", functions.SESSION),
        ):
            if name in names:
                words, hint = NEVER[reason]
                raise UnsupportedQuery(
                    reason, words.format(f"{name}()"), place=place(call), hint=hint
                )


def reads_clock(tree: exp.Expr) -> exp.Expr | None:
    """The first call that reads the clock."""
    for name, call in calls(tree):
        bare = name in functions.CLOCK_WITHOUT_ARGUMENTS and not call.expressions
        if name in functions.CLOCK or bare:
            return call
    return None


def calls(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Every function call of a tree, with its name in small letters."""
    for found in tree.find_all(exp.Func):
        name = found.name if isinstance(found, exp.Anonymous) else found.sql_names()[0]
        yield name.lower(), found
