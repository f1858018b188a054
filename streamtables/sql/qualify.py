"""Every column given its table, every star its columns: the tree that lowering reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.schema import MappingSchema

from streamtables.errors import InvalidQuery, Place, UnknownColumn, nearest
from streamtables.sql.dialect import Exact
from streamtables.sql.dotted import with_fields_apart
from streamtables.sql.implied import with_implied_names
from streamtables.sql.pivot import without_pivots
from streamtables.sql.query import name_of
from streamtables.sql.stars import with_stars_in_calls
from streamtables.sql.time_windows import refuse_other_windows, with_window_calls
from streamtables.sql.using import mark_using, with_shared_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamtables.model import Column
    from streamtables.sql.query import Query

_PLACE = re.compile(r"Line: (\d+), Col: (\d+)")


def qualify_query(query: Query, columns: Mapping[str, Sequence[Column]]) -> exp.Query:
    """The query's tree with columns qualified; each source is renamed by `stand_in`.

    `columns` holds the columns of each source, by `TableName.key`.
    """
    tree = query.tree.copy()
    schema: dict[str, Any] = {}
    names = stand_in(columns)
    for ours, table in zip(query.tables, _same_tables(query, tree), strict=True):
        key = name_of(ours).key
        schema[names[key]] = {column.name.lower(): _type(column) for column in columns[key]}
        alias = table.alias or table.name
        table.set("this", exp.to_identifier(names[key], quoted=True))
        table.set("db", None)
        table.set("catalog", None)
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    fields = [(field.name.lower(), _type(field)) for found in columns.values() for field in found]
    types = dict(fields)
    unlike = {name for name, kind in fields if kind != types[name]}
    with_fields_apart(tree, query.called, {name: types[name] for name in types.keys() - unlike})
    with_implied_names(tree, types)
    tree = without_pivots(tree, lambda table: list(schema.get(table.name, ())))
    with_window_calls(tree)
    mark_using(tree)
    _keep_constants(tree)
    # Left to normalise the names itself, sqlglot would parse them: `a;b` and `{a}` would lose their signs.
    mapping = MappingSchema(schema, dialect=Exact, normalize=False)
    try:
        qualified = qualify(tree, dialect=Exact, schema=mapping, validate_qualify_columns=True)
    except OptimizeError as error:
        known = [column.name for found in columns.values() for column in found]
        raise _named(str(error), _sources_of(tree, schema, str(error)), known) from None
    except SqlglotError as error:
        raise InvalidQuery(f"The query cannot be read: {error}") from None
    with_shared_columns(qualified)
    with_stars_in_calls(qualified, schema)
    refuse_other_windows(qualified)
    return qualified


def stand_in(keys: Iterable[str]) -> dict[str, str]:
    """A plain word for each source in a qualified tree, since a source's name may hold anything."""
    return {key: f"_source_{number}" for number, key in enumerate(keys)}


def _keep_constants(tree: exp.Query) -> None:
    """Put constants that have a name into parentheses: else sqlglot writes their place wherever GROUP BY names them."""
    for select in tree.find_all(exp.Select):
        for part in select.expressions if select.args.get("group") else ():
            if isinstance(part, exp.Alias) and isinstance(part.this, exp.Literal):
                part.set("this", exp.paren(part.this))


def _same_tables(query: Query, copy: exp.Query) -> list[exp.Table]:
    """The tables of a copied tree that stand where the query's own tables stand."""
    starts = [table.parts[0].meta["start"] for table in query.tables]
    found = {table.parts[0].meta.get("start"): table for table in copy.find_all(exp.Table)}
    return [found[start] for start in starts]


def _type(column: Column) -> exp.DataType:
    try:
        return exp.DataType.build(column.type, dialect=Exact)
    except SqlglotError:
        return exp.DataType.build("unknown")


def _sources_of(tree: exp.Query, schema: Mapping[str, Any], message: str) -> int:
    """In how many tables of one FROM the column of an error is found."""
    column = _column_of(message).lower()

    def has(source: object) -> bool:
        if isinstance(source, exp.Table):
            return column in schema.get(source.name, ())
        return column in [name.lower() for name in source.expression.named_selects]  # type: ignore[attr-defined]

    counts = (
        sum(has(source) for _, source in scope.selected_sources.values())
        for scope in traverse_scope(tree)
        if column in {found.name.lower() for found in scope.unqualified_columns}
    )
    return max(counts, default=0)


def _column_of(message: str) -> str:
    name = re.search(r"'([^']*)'", message)
    return name[1] if name else "?"


def _named(message: str, source_count: int, known: Sequence[str]) -> InvalidQuery | UnknownColumn:
    found = _PLACE.search(message)
    column = _column_of(message)
    where = Place(int(found[1]), max(1, int(found[2]) - len(column) + 1)) if found else None
    if source_count > 1 or message.startswith("Ambiguous"):
        hint = "Write it with its table: alias.column."
        return UnknownColumn(f"Column {column} is in more than one table", place=where, hint=hint)
    if "could not be resolved" in message or message.startswith("Unknown column"):
        otherwise = "Check the spelling and the columns of the tables that the query reads."
        hint = nearest(column.rpartition(".")[2], known, otherwise)
        return UnknownColumn(f"There is no column {column}", place=where, hint=hint)
    return InvalidQuery(f"The query cannot be read: {message}", place=where)
