"""Spark SQL as DuckDB says it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import UnsupportedError

from streamtables.sql.dialect import DeepParser, Exact
from streamtables.sql.grouping_sets import grouping_sets, listed_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

# Functions that Spark and DuckDB call by the same name.
ALIKE = (
    "any_value",
    "coalesce",
    "dense_rank",
    "first_value",
    "lag",
    "lead",
    "max_by",
    "min_by",
    "raise_error",
    "rank",
    "row_number",
    "struct",
    "upper",
)
_FIELDS = tuple(", ".join(f"v{i}" for i in range(count)) for count in range(1, 13))
# Functions of Spark's that the rules call and DuckDB has under another name.
MACROS = (
    "raise_error(message) AS error(message)",
    f"struct{', '.join(f'({fields}) AS row({fields})' for fields in _FIELDS)}",
)


class _Quoting(Spark):
    """sqlglot's Spark SQL, its functions understood, its strings read as ours are."""

    Tokenizer = Exact.Tokenizer
    Parser = DeepParser


@lru_cache(maxsize=20_000)
def in_duckdb(text: str) -> str:
    """A statement of Spark SQL as DuckDB says it."""
    tree = sqlglot.parse_one(text, read=_Quoting)
    for select in tree.find_all(exp.Select):
        _group_as_spark(select)
    for call in list(tree.find_all(exp.CountIf)):  # DuckDB's is NULL where it counts nothing
        one = exp.Case().when(call.this, exp.Literal.number(1))
        call.replace(exp.Count(this=one))
    if any(pivot.find(exp.Count) for pivot in tree.find_all(exp.Pivot)):
        raise UnsupportedError("COUNT in PIVOT is 0 in DuckDB where Spark gives NULL")
    return str(_never_unknown(tree).sql("duckdb"))


def _group_as_spark(select: exp.Select) -> None:
    """Grouping sets in place: in Spark there is no total of no rows, and Hive's words list the keys before them."""
    group = select.args.get("group")
    sets = grouping_sets(group.copy() if group else None)
    if group is None or sets is None or sets == [()]:
        return
    for kind in ("rollup", "cube"):  # GROUP BY a, b WITH ROLLUP
        for part in group.args.get(kind) or ():
            part.set("expressions", part.expressions or group.expressions)
            group.set("expressions", [])
    if group.args.get("grouping_sets"):
        if not set(listed_keys(group)) <= {key for chosen in sets for key in chosen}:
            raise UnsupportedError("DuckDB has no keys that no grouping set holds")
        group.set("expressions", [])
    rows = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0))
    select.having(rows, copy=False)


def _never_unknown(tree: exp.Expr) -> exp.Expr:
    """In Spark `x IN (SELECT …)` as a value is false where it is unknown, and so is NOT IN."""
    inner = tree.this.unnest() if isinstance(tree, exp.Not) else tree
    if isinstance(tree, exp.Not) and isinstance(inner, (exp.And, exp.Or)) and inner.find(exp.Query):
        parts = [exp.Not(this=exp.paren(part)) for part in (inner.left, inner.right)]
        other = exp.Or if isinstance(inner, exp.And) else exp.And
        tree = exp.paren(other(this=parts[0], expression=parts[1]))
        inner = tree
    for part in list(inner.iter_expressions()):
        part.replace(_never_unknown(part))
    if isinstance(inner, exp.In) and inner.args.get("query"):
        return exp.Coalesce(this=tree.copy(), expressions=[exp.false()])
    return tree


def is_alike(query: exp.Expr) -> bool:
    """Whether Spark and DuckDB call all functions of a query by the same names; the rules call only such.

    DuckDB's writer leaves out what is said of NULLs where it does not understand the function.
    """
    is_plain = query.find(exp.IgnoreNulls, exp.RespectNulls) is None
    return is_plain and all(call.name.lower() in ALIKE for call in query.find_all(exp.Anonymous))


def name(word: str) -> str:
    """A quoted identifier."""
    return str(exp.to_identifier(word, quoted=True).sql("duckdb"))


def names(words: Iterable[str]) -> str:
    """Quoted identifiers, as a list."""
    return ", ".join(map(name, words))


def fetched(made: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """The rows of an answer, structs as rows: Spark gives them so, DuckDB as it gives maps."""
    kinds = [column[1] for column in made.description or ()]
    if not any("STRUCT" in str(kind) for kind in kinds):
        return made.fetchall()
    return [tuple(map(_as_in_spark, kinds, row)) for row in made.fetchall()]


def _as_in_spark(kind: Any, value: Any) -> Any:
    if value is None or kind.id not in ("struct", "list"):
        return value
    inner = [part for _, part in kind.children]
    if kind.id == "list":
        return [_as_in_spark(inner[0], part) for part in value]
    return tuple(map(_as_in_spark, inner, value.values()))
