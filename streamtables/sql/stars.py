"""Stars inside calls, such as `struct(t.*)` and `count(DISTINCT *)`, written out as the columns they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def with_stars_in_calls(tree: exp.Query, schema: Mapping[str, Mapping[str, object]]) -> None:
    """Write them out in a qualified tree; the star of COUNT(*) stays, since it stands for rows."""
    for scope in traverse_scope(tree):
        for star in list(scope.expression.find_all(exp.Star)):
            call = star.parent if isinstance(star.parent, exp.Column) else star
            is_rows = call is star and isinstance(call.parent, exp.Count)
            is_list = isinstance(call.parent, exp.Select)
            if call.parent_select is scope.expression and not is_rows and not is_list:
                _replace(call, star, scope, schema)


def _replace(
    call: exp.Expr, star: exp.Star, scope: Scope, schema: Mapping[str, Mapping[str, object]]
) -> None:
    left_out = {column.name.lower() for column in star.args.get("except_") or ()}
    table = call.table if isinstance(call, exp.Column) else ""
    found = [
        exp.column(name, table=alias, quoted=True)
        for alias, name in _columns(scope, schema)
        if alias == (table or alias) and name.lower() not in left_out
    ]
    holder = call.parent
    if isinstance(holder, exp.Count):
        holder.set("this", found[0])
        holder.set("expressions", found[1:])
    elif holder is not None:
        parts = [new for part in holder.expressions for new in (found if part is call else (part,))]
        holder.set("expressions", parts)


def _columns(scope: Scope, schema: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, str]]:
    for alias, (_, source) in scope.selected_sources.items():
        names = (
            schema[source.name]
            if isinstance(source, exp.Table)
            else source.expression.named_selects  # type: ignore[attr-defined]
        )
        yield from ((alias, name) for name in names)
