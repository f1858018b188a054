"""CTEs under names of their own: a WITH inside a query may use a name again that a WITH around it has given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.sql.scope import Names

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_own_names(tree: exp.Query) -> exp.Query:
    """The query with no name given to two CTEs.

    >>> import sqlglot
    >>> text = "WITH w AS (WITH w AS (SELECT 1 AS a) SELECT a FROM w) SELECT a FROM w"
    >>> with_own_names(sqlglot.parse_one(text)).sql()
    'WITH "w" AS (WITH "w_2" AS (SELECT 1 AS a) SELECT a FROM "w_2") SELECT a FROM "w"'
    """
    tree = tree.copy()
    _rename(tree, {}, Names())
    return tree


def _rename(tree: exp.Expr, known: Mapping[str, str], names: Names) -> None:
    """Rename in place; `known` says what the CTEs that the tree sees are called now."""
    with_: exp.With | None = tree.args.get("with_")
    known = dict(known)
    for cte in with_.expressions if with_ else ():
        word, old = names.fresh(cte.alias), cte.alias
        _rename(cte.this, {**known, old: word} if with_ and with_.recursive else known, names)
        cte.args["alias"].set("this", exp.to_identifier(word, quoted=True))
        known[old] = word
    if _is_named(tree) and tree.name in known:
        tree.set("this", exp.to_identifier(known[tree.name], quoted=True))
    for part in tree.iter_expressions():
        if part is not with_:
            _rename(part, known, names)


def _is_named(tree: exp.Expr) -> bool:
    is_table = isinstance(tree, exp.Table) and isinstance(tree.this, exp.Identifier)
    return is_table and not tree.args.get("db")
