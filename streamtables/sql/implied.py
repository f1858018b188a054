"""The names that Spark gives to columns where the query gives none: those of generators, VALUES and table functions."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql import functions
from streamtables.sql.refuse import calls, without_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_POSITION = {"posexplode": ("pos",), "posexplode_outer": ("pos",)}
_EXPLODES = ("explode", "explode_outer", *_POSITION)


def with_implied_names(tree: exp.Expr, types: Mapping[str, exp.DataType]) -> None:
    """Write the names into the tree; `types` holds the types of the sources' columns, by name."""
    numbers = count()
    for found in list(tree.find_all(exp.Lateral, exp.Values, exp.Table)):
        if not alias_columns(found) and (names := _names(found, types)):
            _name(found, names, f"_implied_{next(numbers)}")
    for lateral in tree.find_all(exp.Lateral):
        if isinstance(lateral.this, exp.Query) and not lateral.alias:
            word = exp.to_identifier(f"_implied_{next(numbers)}")
            lateral.set("alias", exp.TableAlias(this=word, columns=alias_columns(lateral)))
    for select in tree.find_all(exp.Select):
        for part in list(select.expressions):
            if isinstance(part, exp.Func) and (names := _names_of_call(part, types)):
                part.replace(_aliased(part, names))


def _names(tree: exp.Expr, types: Mapping[str, exp.DataType]) -> Sequence[str]:
    """What the columns of an item of FROM are called without an alias; nothing where its tables say that."""
    if isinstance(tree, exp.Values):
        first = tree.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return [f"col{i + 1}" for i in range(width)]
    return _names_of_call(tree.this, types) if isinstance(tree.this, exp.Func) else ()


def _names_of_call(call: exp.Expr, types: Mapping[str, exp.DataType]) -> Sequence[str]:
    name = next(calls(call))[0]
    if name == "range":
        return ("id",)
    if name == "stack":
        rows, *values = call.expressions
        width = -(-len(values) // int(rows.name)) if rows.is_int else 0
        return [f"col{i}" for i in range(width)]
    if name == "json_tuple":
        return [f"c{i}" for i in range(len(call.expressions) - 1)]
    if name not in functions.GENERATORS:
        return ()
    argument = call.expressions[0]
    kind = types.get(argument.name.lower()) if isinstance(argument, exp.Column) else None
    if name in _EXPLODES:
        is_map = kind is not None and kind.is_type("map")
        return (*_POSITION.get(name, ()), *(("key", "value") if is_map else ("col",)))
    if kind is not None and name.startswith("inline"):
        return [field.name for struct in kind.expressions[:1] for field in struct.expressions]
    raise without_rule("CONSTRUCT", call, f"{name}() without names for its columns")


def alias_columns(tree: exp.Expr) -> list[exp.Expr]:
    """The columns that an alias names."""
    alias = tree.args.get("alias")
    return list(alias.columns) if isinstance(alias, exp.TableAlias) else []


def _name(tree: exp.Expr, names: Sequence[str], word: str) -> None:
    alias = tree.args.get("alias")
    table = alias.this if isinstance(alias, exp.TableAlias) else exp.to_identifier(word)
    columns = [exp.to_identifier(name) for name in names]
    tree.set("alias", exp.TableAlias(this=table, columns=columns))


def _aliased(call: exp.Expr, names: Sequence[str]) -> exp.Expr:
    identifiers = [exp.to_identifier(name) for name in names]
    if len(names) == 1:
        return exp.Alias(this=call.copy(), alias=identifiers[0])
    return exp.Aliases(this=call.copy(), expressions=identifiers)
