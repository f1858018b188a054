"""What is not maintained incrementally: construct, reason code, words, way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.errors import UnsupportedQuery
from streamtables.plan.nodes import WEIGHT
from streamtables.sql import functions
from streamtables.sql.parse import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Constructs without a delta rule: such a query is refreshed by FULL. Reason code: (words, way out).
WITHOUT_RULE: dict[str, tuple[str, str]] = {
    "SUBQUERY": (
        "a subquery inside {} has no delta rule",
        "Compute it in a derived table, and use its column.",
    ),
    "LIMIT": ("a LIMIT that is not a number has no delta rule", "Write the number."),
    "RECURSION": (
        "WITH RECURSIVE is understood as a base UNION ALL a step that reads the CTE",
        "Write it so; put UNION's DISTINCT outside.",
    ),
    "ORDER_DEPENDENT": (
        "{} depends on the order in which rows are met",
        "Use min, max, min_by or max_by, whose answer the rows alone decide.",
    ),
    "UNSTABLE_AGGREGATE": (
        "{} below another operator may differ each time it is computed, if only in its last digit",
        "Sum DECIMALs, or show each group with its keys as a row of its own.",
    ),
    "TIME_DEPENDENT": ("{} changes as time passes", "Use refresh_mode FULL or AUTO."),
    "RESERVED_NAME": (
        "a change of a column named {} cannot be told from a count",
        "Rename the column, or use refresh_mode FULL or AUTO.",
    ),
    "INCOMPARABLE": (
        "Spark cannot tell which values of {} are equal",
        "Read what you need of it, as in m['key'], to_json(m) or CAST(NULL AS INT), or use refresh_mode FULL or AUTO.",
    ),
    "NOT_UNDERSTOOD": (
        "the planner does not understand it ({})",
        "Please report the query; meanwhile use refresh_mode FULL or AUTO.",
    ),
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


def refuse_weight(tree: exp.Expr, fields: Iterable[str]) -> None:
    """Raise where a source has a column of the name that changes use for their counts."""
    for field in fields:
        if field.lower() == WEIGHT:
            raise without_rule("RESERVED_NAME", tree, field)


def calls(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Every function call of a tree, with its name in small letters."""
    for found in tree.find_all(exp.Func):
        name = found.name if isinstance(found, exp.Anonymous) else found.sql_names()[0]
        yield name.lower(), found


def refuse_clauses(tree: exp.Select) -> None:
    """Raise for a clause of a SELECT that has no delta rule."""
    for clause in ("kind", "match", "connect", "prewhere"):
        if found := tree.args.get(clause):
            raise without_rule(
                "CONSTRUCT", found if isinstance(found, exp.Expr) else tree, clause.upper()
            )


def refuse_inside(tree: exp.Expr, *, is_generator: bool = False) -> None:
    """Raise for what an expression cannot hold: subqueries, windows, generators, order-dependent calls."""
    if subquery := tree.find(exp.Query):
        raise without_rule("SUBQUERY", subquery, "this expression")
    for name, call in calls(tree):
        if name in functions.CLOCK or (
            name in functions.CLOCK_WITHOUT_ARGUMENTS and not call.expressions
        ):
            raise without_rule("TIME_DEPENDENT", call, f"{name}()")
        if name in functions.GENERATORS and not is_generator:
            raise without_rule("CONSTRUCT", call, f"{name} inside an expression")
    star = tree.find(exp.Star)
    if star and not isinstance(star.parent, exp.Count):
        raise without_rule("CONSTRUCT", star, "*")
