"""CTEs: what a query defines, under names of their own, and those of a subquery that read the rows around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql.dialect import Exact
from streamtables.sql.scope import Names, free_columns

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_own_names(tree: exp.Query) -> exp.Query:
    """The query with no name given to two CTEs; those written alike keep one, as what GROUP BY repeats has to.

    >>> import sqlglot
    >>> text = "WITH w AS (WITH w AS (SELECT 1 AS a) SELECT a FROM w) SELECT a FROM w"
    >>> with_own_names(sqlglot.parse_one(text)).sql()
    'WITH "w" AS (WITH "w_2" AS (SELECT 1 AS a) SELECT a FROM "w_2") SELECT a FROM "w"'
    """
    tree = tree.copy()
    _rename(tree, {}, _Words())
    return tree


def borrowing_inside(tree: exp.Query) -> exp.Query:
    """The query with each CTE that reads rows around its WITH as a derived table where it is used, in place."""
    for with_ in list(tree.find_all(exp.With)):
        holder = with_.parent
        assert holder is not None, "a WITH belongs to a query"
        for cte in list(with_.expressions):
            if free_columns(cte.this):
                _put_inside(holder, cte)
                cte.pop()
        if not with_.expressions:
            with_.pop()
    return tree


def _put_inside(tree: exp.Expr, cte: exp.Expr) -> None:
    columns = [column.copy() for column in cte.args["alias"].columns]
    for table in list(tree.find_all(exp.Table)):
        if _is_named(table) and table.name == cte.alias:
            word = exp.to_identifier(table.alias or table.name, quoted=True)
            alias = exp.TableAlias(this=word, columns=columns)
            joined = {key: table.args.get(key) for key in ("joins", "laterals")}
            table.replace(exp.Subquery(this=cte.this.copy(), alias=alias, **joined))


def ctes_of(tree: exp.Expr) -> dict[str, exp.Expr]:
    """The CTEs that a query defines."""
    with_ = tree.args.get("with_")
    return {cte.alias: cte for cte in with_.expressions} if with_ else {}


def before(name: str, ctes: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The CTEs that a CTE sees: those defined before it."""
    names = list(ctes)
    return {other: ctes[other] for other in names[: names.index(name)]}


class _Words:
    """A word for each CTE, the same for those that are written alike and see the same."""

    def __init__(self) -> None:
        self._names = Names()
        self._given: dict[object, str] = {}

    def of(self, cte: exp.CTE, known: Mapping[str, str]) -> str:
        key = (cte.sql(Exact), frozenset(known.items()))
        if key not in self._given:
            self._given[key] = self._names.fresh(cte.alias)
        return self._given[key]


def _rename(tree: exp.Expr, known: Mapping[str, str], words: _Words) -> None:
    """Rename in place; `known` says what the CTEs that the tree sees are called now."""
    with_: exp.With | None = tree.args.get("with_")
    known = dict(known)
    for cte in with_.expressions if with_ else ():
        word, old = words.of(cte, known), cte.alias
        _rename(cte.this, {**known, old: word} if with_ and with_.recursive else known, words)
        cte.args["alias"].set("this", exp.to_identifier(word, quoted=True))
        known[old] = word
    if _is_named(tree) and tree.name in known:
        tree.set("this", exp.to_identifier(known[tree.name], quoted=True))
    for part in tree.iter_expressions():
        if part is not with_:
            _rename(part, known, words)


def _is_named(tree: exp.Expr) -> bool:
    is_table = isinstance(tree, exp.Table) and isinstance(tree.this, exp.Identifier)
    return is_table and not tree.args.get("db")
