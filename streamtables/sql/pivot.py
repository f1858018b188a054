"""PIVOT and UNPIVOT written out: one aggregate per value, one SELECT per column.

    PIVOT (f(v) FOR c IN (a, b))    SELECT k, f(v) FILTER (WHERE c <=> a), f(v) FILTER (WHERE c <=> b) … GROUP BY k
    UNPIVOT (v FOR n IN (a, b))     SELECT k, 'a' AS n, a AS v … WHERE a IS NOT NULL  UNION ALL  the same of b

k are the columns of the input that are not named. A value of which there are no rows in a group gives NULL, even for
COUNT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql.aggregates import aggregates_in
from streamtables.sql.refuse import without_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def without_pivots(tree: exp.Query, columns_of: Callable[[exp.Table], Sequence[str]]) -> exp.Query:
    """The query with every PIVOT and UNPIVOT written out; `columns_of` knows the columns of tables."""
    for pivot in list(tree.find_all(exp.Pivot))[::-1]:
        item = pivot.parent
        assert item is not None
        names = _names(item, columns_of)
        alias = pivot.alias or item.alias_or_name
        inner = item.copy()
        inner.set("pivots", None)
        write = _unpivoted if pivot.args.get("unpivot") else _pivoted
        item.replace(write(pivot, inner, names).subquery(alias or "pivoted", copy=False))
    return tree


def _names(item: exp.Expr, columns_of: Callable[[exp.Table], Sequence[str]]) -> list[str]:
    """The columns of what is turned."""
    if isinstance(item, exp.Table):
        return list(columns_of(item))
    query = item.this if isinstance(item, exp.Subquery) else None
    if not isinstance(query, exp.Query) or query.is_star or "" in query.named_selects:
        raise without_rule("CONSTRUCT", item, "PIVOT of a query without names for its columns")
    return [name.lower() for name in query.named_selects]


def _pivoted(pivot: exp.Pivot, rows: exp.Expr, names: Sequence[str]) -> exp.Query:
    (field,) = pivot.args["fields"]
    by = field.this.expressions if isinstance(field.this, exp.Tuple) else [field.this]
    used = {found.name.lower() for part in pivot.expressions for found in part.find_all(exp.Column)}
    groups = [name for name in names if name not in used | {part.name.lower() for part in by}]
    items: list[exp.Expr] = [exp.column(name, quoted=True) for name in groups]
    for value in field.expressions:
        values, word = _value(value)
        same = [
            exp.NullSafeEQ(this=part.copy(), expression=other.copy())
            for part, other in zip(by, values, strict=True)
        ]
        for call in pivot.expressions:
            name = word
            if len(pivot.expressions) > 1:
                name += f"_{call.alias or call.unalias().sql('spark').lower()}"
            made = _only(call.unalias().copy(), exp.and_(*same))
            items.append(exp.alias_(made, name, quoted=True))
    keys = [exp.column(name, quoted=True) for name in groups]
    query = exp.select(*items).from_(rows)
    return query.group_by(*keys) if keys else query


def _only(call: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """An aggregate of the rows of one value; NULL where there are none."""
    for found in aggregates_in(call):
        if isinstance(found, exp.Filter):
            raise without_rule("CONSTRUCT", found, "FILTER inside PIVOT")
        where = exp.Where(this=condition.copy())
        made = exp.Filter(this=found.copy(), expression=where)
        if found is call:
            call = made
        else:
            found.replace(made)
    count = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))
    return exp.Case().when(exp.GT(this=count, expression=exp.Literal.number(0)), call)


def _value(tree: exp.Expr) -> tuple[list[exp.Expr], str]:
    """The values that a column of the answer is for, and its name."""
    inner = tree.this if isinstance(tree, exp.PivotAlias) else tree
    values = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
    word = _alias(tree) or "_".join(value.name or value.sql("spark") for value in values)
    return values, word if len(values) == 1 or _alias(tree) else f"{{{word.replace('_', ', ')}}}"


def _alias(tree: exp.Expr) -> str:
    alias = tree.args.get("alias") if isinstance(tree, exp.PivotAlias) else None
    return str(alias.name) if isinstance(alias, exp.Expr) else ""


def _unpivoted(pivot: exp.Pivot, rows: exp.Expr, names: Sequence[str]) -> exp.Query:
    (field,) = pivot.args["fields"]
    parts = [part for made in pivot.expressions for part in _parts(made)]
    taken = {
        found.name.lower() for part in field.expressions for found in part.find_all(exp.Column)
    }
    kept = [name for name in names if name not in taken]
    selects = []
    for choice in field.expressions:
        inner = choice.this if isinstance(choice, exp.PivotAlias) else choice
        columns = _parts(inner)
        word = _alias(choice) or "_".join(column.name for column in columns)
        items: list[exp.Expr] = [exp.column(name, quoted=True) for name in kept]
        items.append(exp.alias_(exp.Literal.string(word), field.this.name, quoted=True))
        items += [
            exp.alias_(column.copy(), part.name, quoted=True)
            for column, part in zip(columns, parts, strict=True)
        ]
        query = exp.select(*items).from_(rows.copy())
        if not pivot.args.get("include_nulls"):
            present = [column.copy().is_(exp.null()).not_() for column in columns]
            query = query.where(exp.or_(*present))
        selects.append(query)
    result: exp.Query = selects[0]
    for query in selects[1:]:
        result = exp.union(result, query, distinct=False)
    return result


def _parts(tree: exp.Expr) -> list[exp.Expr]:
    return list(tree.expressions) if isinstance(tree, exp.Tuple) else [tree]
