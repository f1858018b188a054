"""Dotted names: which of their parts name a table, which the column, which the fields inside it.

As in Spark, the longest beginning that names a table of the query does, then `table.column.field`, then `column.field`.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Path = tuple[str, ...]


class Tables:
    """What FROM items of a query are called, and how its tables are written."""

    def __init__(self, tree: exp.Expr, tables: Collection[exp.Table]) -> None:
        self._written = {words(table.parts) for table in tables}
        kinds = (exp.Table, exp.Subquery, exp.Lateral, exp.Values, exp.Pivot)
        self._called = {item.alias_or_name.lower() for item in tree.find_all(*kinds)} - {""}

    def parts_of_table(self, column: exp.Column) -> int:
        """How many parts at the beginning of a name say which table it is."""
        path = words(column.parts)
        longer = [count for count in (3, 2) if count < len(path)]
        for count in longer:
            if path[:count] in self._written:
                return count
        if len(path) < 3 or path[0] in self._called:
            return min(1, len(path) - 1)
        # The schema that is current now, before a table written without it.
        return next((count for count in longer if path[count - 1] in self._called), 0)


def with_fields_apart(
    tree: exp.Expr, tables: Tables, types: Mapping[str, exp.DataType | None]
) -> None:
    """Write what is read inside a column as such, and a column by its table's name alone.

    `types` holds the types of the sources' columns, by name.
    """
    for column in list(tree.find_all(exp.Column)):
        count = tables.parts_of_table(column)
        table = column.parts[count - 1] if count else None
        name, *fields = column.parts[count:]
        if isinstance(column.this, exp.Star) and (len(column.parts) > count + 1 or count == 1):
            _write_out(column, types)
        elif fields:
            whole = exp.Column(this=name, table=table)
            column.replace(_inside(whole, fields))
        else:
            column.set("db", None)
            column.set("catalog", None)


def _write_out(star: exp.Column, types: Mapping[str, exp.DataType | None]) -> None:
    """`column.*` of a struct as its fields; a table's star stays."""
    *before, name = star.parts[:-1]
    kind = types.get(name.name.lower())
    select = star.parent
    if kind is None or not kind.is_type("struct") or star.this.args.get("except_"):
        return
    if not isinstance(select, exp.Select):
        return
    whole = exp.Column(this=name, table=before[-1] if before else None)
    fields = [exp.to_identifier(field.name, quoted=True) for field in kind.expressions]
    made = [exp.alias_(_inside(whole.copy(), [field]), field.copy()) for field in fields]
    items = [new for item in select.expressions for new in (made if item is star else [item])]
    select.set("expressions", items)


def _inside(whole: exp.Expr, fields: Collection[exp.Expr]) -> exp.Expr:
    return reduce(lambda tree, field: exp.Dot(this=tree, expression=field.copy()), fields, whole)


def words(parts: Collection[exp.Expr]) -> Path:
    """The parts of a name as they are compared."""
    return tuple(part.name.lower() for part in parts)
