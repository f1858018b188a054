"""`window(time, …)`: a value that Spark computes of each row, and that may drop rows or make several of one.

Any window drops a row without a time, which a SELECT that shows a tumbling one then says in its WHERE. A sliding one
makes several rows of one: below a GROUP BY that is linear; elsewhere a projection must not do so, and has no rule.
`session_window` is a key of GROUP BY or nothing (sessions.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql import functions
from streamtables.sql.aggregates import is_grouped
from streamtables.sql.refuse import calls, without_rule
from streamtables.sql.scope import tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOWS = ("window", "session_window")


def with_window_calls(tree: exp.Query) -> None:
    """Write the call wherever a SELECT that groups by it says `window` or `window.start`.

    `window_time(w)`, for which Spark must see where w comes from, is the last moment of w.
    """
    for name, call in list(calls(tree)):
        if name == "window_time":
            end = exp.Dot(this=call.expressions[0].copy(), expression=exp.to_identifier("end"))
            moment = exp.cast(exp.Literal.string("1 microsecond"), "interval")
            call.replace(exp.paren(exp.Sub(this=end, expression=moment)))
    for select in tree.find_all(exp.Select):
        group = select.args.get("group")
        for key in group.expressions if group else ():
            if _window(key) in WINDOWS and not _is_taken(select, _window(key)):
                for column in list(_columns_over_groups(select)):
                    _replace(column, key)


def refuse_other_windows(tree: exp.Query) -> None:
    """Raise for a window of time that is neither a key of GROUP BY nor a tumbling one in a list of a qualified tree."""
    for name, call in list(calls(tree)):
        if name not in WINDOWS or _is_key(call):
            continue
        select = call.parent_select
        if name != "window" or len(call.expressions) != 2 or not _is_in_plain_list(call):
            raise without_rule("CONSTRUCT", call, f"{name}() outside GROUP BY")
        assert isinstance(select, exp.Select)
        present = exp.Not(this=exp.Is(this=call.expressions[0].copy(), expression=exp.null()))
        select.where(present, copy=False)


def _is_in_plain_list(call: exp.Expr) -> bool:
    """Whether a call stands in the list of a SELECT that does not group."""
    select, part = call.parent_select, call
    while part.parent is not None and part.parent is not select:
        part = part.parent
    return (
        isinstance(select, exp.Select)
        and not is_grouped(select)
        and any(part is shown for shown in select.expressions)
    )


def _window(tree: exp.Expr) -> str:
    """The name of a call, in small letters."""
    return str(tree.name).lower() if isinstance(tree, exp.Anonymous) else ""


def _is_taken(select: exp.Select, word: str) -> bool:
    """Whether the name of the call means something else in the SELECT: a key, or an item of FROM."""
    keys = select.args["group"].expressions
    columns = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    return word in columns | {item.alias_or_name.lower() for item in tables_of(select)}


def _columns_over_groups(select: exp.Select) -> Iterator[exp.Column]:
    """The columns of the list, HAVING and ORDER BY, those in aggregates apart."""
    clauses = (select.args.get(clause) for clause in ("having", "qualify", "order"))
    stack = [*select.expressions, *filter(None, clauses)]
    while stack:
        part = stack.pop()
        if isinstance(part, exp.Column):
            yield part
        elif not isinstance(part, exp.Query) and not _is_aggregate(part):
            stack += part.iter_expressions()


def _replace(column: exp.Column, call: exp.Expr) -> None:
    made: exp.Expr
    if column.table.lower() == _window(call):
        made = exp.Dot(this=call.copy(), expression=column.this.copy())
    elif not column.table and column.name.lower() == _window(call):
        made = call.copy()
    else:
        return
    is_item = isinstance(column.parent, exp.Select)
    column.replace(exp.alias_(made, column.name, quoted=True) if is_item else made)


def _is_key(call: exp.Expr) -> bool:
    """Whether a call is a key of its SELECT, or stands in the list for one."""
    select, part = call.parent_select, call
    while part.parent is not None and part.parent is not select:
        if _is_aggregate(part.parent) or isinstance(part.parent, (exp.Where, exp.Join)):
            return False
        part = part.parent
    group = select.args.get("group") if select else None
    if select is None or group is None:
        return False
    return call in group.expressions or (bool(group.args.get("all")) and part in select.expressions)


def _is_aggregate(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Func) and next(calls(tree))[0] in functions.AGGREGATES
