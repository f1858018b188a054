"""The smallest script that still fails, found by leaving things out."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from helpers.random_tables import Script

_OPTIONAL = ("where", "having", "distinct", "with_")
_HOLDERS = (exp.Subquery, exp.Paren, exp.Filter, exp.Not, exp.Alias)


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
    size = sum(1 for _ in sqlglot.parse_one(text, read="spark").walk())
    for position in range(size):
        for way in range(8):
            tree = sqlglot.parse_one(text, read="spark")
            ways = list(_reductions(list(tree.walk())[position]))
            if way >= len(ways):
                break
            ways[way]()
            if (smaller := tree.sql("spark")) != text:
                yield smaller


def _reductions(node: exp.Expr) -> Iterator[Callable[[], object]]:
    """The ways to make a tree smaller at one of its nodes."""
    for name in _OPTIONAL:
        if node.args.get(name):
            yield lambda name=name: node.set(name, None)
    if isinstance(node, exp.Select):
        yield from (join.pop for join in node.args.get("joins") or ())
    if isinstance(node, (exp.Select, exp.Values)) and len(node.expressions) > 1:
        yield from (part.pop for part in node.expressions)
    if not node.parent:
        return
    if isinstance(node, (exp.Binary, exp.SetOperation)):
        yield from (lambda side=side: node.replace(side.copy()) for side in (node.left, node.right))
    if isinstance(node, _HOLDERS):
        yield lambda: node.replace(node.this.copy())
    if isinstance(node, (exp.Case, exp.Coalesce, exp.Upper)):
        yield from (
            lambda part=part: node.replace(part.copy()) for part in node.find_all(exp.Column)
        )
