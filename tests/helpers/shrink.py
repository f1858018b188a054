"""The smallest script that still fails, found by leaving things out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sqlglot
from helpers.random_tables import Script
from sqlglot import exp

_OPTIONAL = ("where", "having", "distinct", "with_")


def shrink(script: Script, fails: Callable[[Script], bool]) -> Script:
    """Leave out whatever can be left out while the script still fails."""
    while smaller := next((found for found in _smaller(script) if fails(found)), None):
        script = smaller
    return script


def _smaller(script: Script) -> Iterator[Script]:
    for i in range(len(script.batches)):
        yield replace(script, batches=(*script.batches[:i], *script.batches[i + 1 :]))
    for query in _smaller_queries(script.query):
        yield replace(script, query=query)
    for i, batch in enumerate(script.batches):
        for fewer in _without_one(batch):
            yield replace(script, batches=(*script.batches[:i], fewer, *script.batches[i + 1 :]))
    for setup in _without_one(script.setup):
        yield replace(script, setup=setup)
    unread = [table for table in script.tables if table.name not in str(replace(script, tables=()))]
    if unread:
        yield replace(script, tables=tuple(table for table in script.tables if table not in unread))


def _without_one(statements: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The statements without one of them, and without one row of an INSERT."""
    for i, text in enumerate(statements):
        yield (*statements[:i], *statements[i + 1 :])
        head, found, rows = text.partition(" VALUES ")
        parts = rows.split("), (") if found else []
        if len(parts) > 1:
            for j in range(len(parts)):
                kept = ", ".join(
                    f"({part.strip('()') if 'CAST' not in part else _bare(part)})"
                    for k, part in enumerate(parts)
                    if k != j
                )
                yield (*statements[:i], f"{head} VALUES {kept}", *statements[i + 1 :])


def _bare(row: str) -> str:
    """A row's values without the parentheses around them."""
    row = row[1:] if row.startswith("(") else row
    return row[:-1] if row.count(")") > row.count("(") else row


def _smaller_queries(text: str) -> Iterator[str]:
    """The query with one part left out or put in the place of what holds it."""
    size = len(list(sqlglot.parse_one(text, read="spark").walk()))
    for position in range(size):
        for way in range(12):
            tree = sqlglot.parse_one(text, read="spark")
            node = list(tree.walk())[position]
            if _reduced(node, way) and (smaller := tree.sql("spark")) != text:
                yield smaller


def _reduced(node: exp.Expr, way: int) -> bool:
    """Change the tree in one of several ways; tells whether there was anything to do."""
    parts: list[Callable[[], object]] = []
    for name in _OPTIONAL:
        if node.args.get(name):
            parts.append(lambda name=name: node.set(name, None))
    if isinstance(node, exp.Select):
        parts += [join.pop for join in node.args.get("joins") or ()]
        if len(node.expressions) > 1:
            parts += [item.pop for item in node.expressions]
    if isinstance(node, exp.Binary | exp.SetOperation) and node.parent:
        parts += [lambda side=side: node.replace(side.copy()) for side in (node.left, node.right)]
    if isinstance(
        node,
        exp.Subquery | exp.Paren | exp.Filter | exp.Not | exp.Anonymous | exp.Case | exp.Coalesce,
    ):
        inner = [
            part
            for part in node.walk()
            if part is not node and isinstance(part, (exp.Column, exp.AggFunc))
        ]
        parts += (
            [lambda: node.replace(node.this.copy()) if isinstance(node.this, exp.Expr) else None]
            if node.parent
            else []
        )
        parts += (
            [lambda part=part: node.replace(part.copy()) for part in inner[:2]]
            if not isinstance(node, exp.Subquery)
            else []
        )
    if way >= len(parts):
        return False
    parts[way]()
    return True
