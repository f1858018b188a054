"""The condition of a data check: one expression over one row, the same answer whenever it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from streamtables.errors import InvalidCheck, StreamTablesError
from streamtables.sql.dialect import Exact
from streamtables.sql.query import Query
from streamtables.sql.refuse import refuse_inside, refuse_never

if TYPE_CHECKING:
    from streamtables.checks import Check


def require_condition(check: Check) -> None:
    """Refuse what says something of other rows, other tables or the time, or is not one expression."""
    try:
        (tree,) = sqlglot.parse(check.condition, dialect=Exact)
    except (SqlglotError, ValueError) as error:
        raise _refused(check, "it is not one expression") from error
    if not isinstance(tree, exp.Condition) or isinstance(tree, exp.Query):
        raise _refused(check, "it is not one expression")
    if any(node.comments for node in tree.walk()):
        raise _refused(check, "it holds a comment")
    if tree.find(exp.AggFunc, exp.Window):
        raise _refused(check, "it says something of several rows")
    try:
        refuse_never(tree)
        refuse_inside(tree)
    except StreamTablesError as error:
        raise _refused(
            check, error.message.removeprefix("The query cannot be incremental: ")
        ) from error


def with_condition(query: str, check: Check) -> str:
    """A query that asks a check of each row of another."""
    text = Query.parse(query).text
    return f"SELECT ({check.condition}) AS passes FROM (\n{text}\n)"  # noqa: S608 the analyst's own text


def _refused(check: Check, why: str) -> InvalidCheck:
    return InvalidCheck(
        f"The check {check.name} cannot be made: {why} ({check.condition})",
        hint="Write a condition over the columns of one row, such as amount > 0.",
    )
