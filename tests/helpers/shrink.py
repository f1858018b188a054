"""The smallest script that still fails, found by leaving things out."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from streamtables.sql.dialect import Exact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamtables.testing.random_tables import Script

_OPTIONAL = ("where", "having", "distinct", "with_", "qualify", "limit", "offset", "partition_by")
_WAYS = 16
_HOLDERS = (exp.Paren, exp.Filter, exp.Not, exp.Alias, exp.Window, exp.IgnoreNulls)
_RELATIONS = (exp.From, exp.Join, exp.SetOperation, exp.Subquery, exp.CTE, exp.In, exp.Lateral)
_LISTS = (
    exp.Select,
    exp.Values,
    exp.With,
    exp.Group,
    exp.Order,
    exp.Rollup,
    exp.Cube,
    exp.GroupingSets,
    exp.Array,
    exp.In,
)


def shrink(script: Script, fails: Callable[[Script], bool]) -> Script:
    """Leave out whatever can be left out while the script still fails."""
    tried, has_shrunk = 0, False
    while True:
        found = next(islice(_smaller(script), tried, None), None)
        if found is None and not has_shrunk:
            return script
        if found is None:
            tried, has_shrunk = 0, False
        elif fails(found):
            script, has_shrunk = found, True
        else:
            tried += 1


def _smaller(script: Script) -> Iterator[Script]:
    for i in range(len(script.batches)):
        yield replace(script, batches=_without(script.batches, i))
    for query in _smaller_texts(script.query):
        yield replace(script, query=query)
    for i, batch in enumerate(script.batches):
        for fewer in _fewer(batch):
            yield replace(script, batches=(*script.batches[:i], fewer, *script.batches[i + 1 :]))
    for setup in _fewer(script.setup):
        yield replace(script, setup=setup)
    for i, table in enumerate(script.tables):
        if table.name not in str(replace(script, tables=())):
            yield replace(script, tables=_without(script.tables, i))


def _fewer(statements: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The statements without one of them, or with one of them smaller."""
    for i, text in enumerate(statements):
        yield _without(statements, i)
        for smaller in _smaller_texts(text):
            yield (*statements[:i], smaller, *statements[i + 1 :])


def _without(values: tuple, i: int) -> tuple:  # type: ignore[type-arg]
    return (*values[:i], *values[i + 1 :])


def _smaller_texts(text: str) -> Iterator[str]:
    """A statement with one part left out, or put in the place of what holds it."""
    size = sum(1 for _ in sqlglot.parse_one(text, read=Exact).walk())
    for position in range(size):
        for way in range(_WAYS):
            tree = sqlglot.parse_one(text, read=Exact)
            ways = list(_reductions(list(tree.walk())[position]))
            if way >= len(ways):
                break
            ways[way]()
            if len(smaller := tree.sql(Exact)) < len(text):
                yield smaller


def _reductions(node: exp.Expr) -> Iterator[Callable[[], object]]:
    """The ways to make a tree smaller at one of its nodes."""
    for name in _OPTIONAL:
        if node.args.get(name):
            yield lambda name=name: node.set(name, None)
    if isinstance(node, exp.Select):
        parts = (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ()))
        yield from (part.pop for part in parts)
        if node.args.get("order") and not node.args.get("limit"):
            yield lambda: node.set("order", None)
    if isinstance(node, exp.Join) and (node.side or node.kind):
        yield lambda: (node.set("side", None), node.set("kind", None))
    if isinstance(node, _LISTS) and len(node.expressions) > 1:
        yield from (part.pop for part in node.expressions)
    if node.parent and not isinstance(node, (exp.Column, exp.Identifier)):
        yield from _replacements(node)


def _replacements(node: exp.Expr) -> Iterator[Callable[[], object]]:
    """What may stand in the place of a node: one of its parts, or a constant."""
    if isinstance(node, (exp.Binary, exp.SetOperation)):
        yield from (lambda side=side: node.replace(side.copy()) for side in (node.left, node.right))
    if isinstance(node, _HOLDERS) or _is_query_in_query(node):
        yield lambda: node.replace(node.this.copy())
    if isinstance(node, (exp.Case, exp.Anonymous)):
        yield from (
            lambda part=part: node.replace(part.copy()) for part in node.find_all(exp.Column)
        )
    if isinstance(node, (exp.Predicate, exp.Exists)):
        yield lambda: node.replace(exp.true())
    if isinstance(node, exp.Subquery) and not isinstance(node.parent, _RELATIONS):
        yield lambda: node.replace(exp.null())


def _is_query_in_query(node: exp.Expr) -> bool:
    """Whether it is parentheses around a query that could stand without them."""
    return isinstance(node, exp.Subquery) and isinstance(node.parent, (exp.Subquery, exp.CTE))
