"""What lowering knows of names: which plan column a written column means, and what a subquery borrows from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, Item, col

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = "_now"
"""The table that stands for the clock in a tree."""

Scope = dict[tuple[str, str], str]
"""From (table alias, column) to the name in the plan."""


@dataclass(frozen=True)
class Answer:
    """A relation and its columns as SQL knows them: pairs of (SQL name, plan name).

    Of a correlated subquery `domain` names the columns that hold the outer values each row is for. `on_empty` holds
    what the columns are, over the domain, for outer values that have no row though the subquery always gives one.
    """

    plan: n.Node
    columns: tuple[tuple[str, str], ...]
    domain: tuple[str, ...] = ()
    on_empty: tuple[Expr, ...] | None = None


@dataclass(frozen=True)
class Outer:
    """What a correlated subquery reads of the rows around it: written columns, and their names in `rows`."""

    rows: n.Node
    columns: tuple[tuple[str, str], ...]
    values: tuple[str, ...]

    def domain(self, names: Names) -> tuple[n.Node, tuple[str, ...]]:
        """The different outer values, under names of their own."""
        fresh = tuple(names.fresh(name) for _, name in self.columns)
        pairs = zip(fresh, self.values, strict=True)
        items = tuple(Item(new, col(value)) for new, value in pairs)
        return n.Distinct(n.Project(self.rows, items)), fresh

    def relation(self, names: Names) -> tuple[n.Node, Scope]:
        """The different outer values, and what the written columns are there."""
        plan, fresh = self.domain(names)
        return plan, dict(zip(self.columns, fresh, strict=True))


class Names:
    """Hands out column names that differ from each other whatever their case.

    None begins with an underscore: those names are the rules' own.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, wish: str) -> str:
        """A name like the wish that was not handed out before."""
        wish = f"c{wish}" if wish.startswith("_") else wish
        name, count = wish, 1
        while name.lower() in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name.lower())
        return name


def free_columns(tree: exp.Expr) -> tuple[tuple[str, str], ...]:
    """The columns in a subquery that belong to tables around it, in the order of the text."""
    found = (
        (column.table, column.name)
        for column in tree.find_all(exp.Column, bfs=False)
        if column.table not in ("", NOW) and not _is_bound(column, tree)
    )
    return tuple(dict.fromkeys(found))


def reads(tree: exp.Expr, columns: set[tuple[str, str]]) -> bool:
    """Whether an expression reads some of the columns."""
    return any((found.table, found.name) in columns for found in tree.find_all(exp.Column))


def conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of `a AND b AND c`, without parentheses around them."""
    tree = tree.unnest() if isinstance(tree, exp.Paren) else tree
    if isinstance(tree, exp.And):
        yield from conjuncts(tree.left)
        yield from conjuncts(tree.right)
    else:
        yield tree


def has_query(tree: exp.Expr) -> bool:
    """Whether an expression holds a subquery."""
    return tree.find(exp.Query) is not None


def has_not_in(tree: exp.Expr, *, is_negated: bool = False) -> bool:
    """Whether a condition itself, not a query inside it, asks whether something is not among a query's rows."""
    if isinstance(tree, exp.Query):
        return False
    if is_negated and isinstance(tree, exp.In) and tree.args.get("query"):
        return True
    is_negated |= isinstance(tree, exp.Not)
    return any(has_not_in(part, is_negated=is_negated) for part in tree.iter_expressions())


def tables_of(select: exp.Select) -> Iterator[exp.Expr]:
    """The items of FROM, joined and lateral ones too."""
    start = select.args.get("from_")
    stack = [start.this] if start else []
    stack += [join.this for join in select.args.get("joins") or ()]
    stack += select.args.get("laterals") or ()
    while stack:
        item = stack.pop()
        yield item
        nested = [item.this] if is_joined(item) else []
        stack += [
            *nested,
            *(join.this for join in item.args.get("joins") or ()),
            *(item.args.get("laterals") or ()),
        ]


def is_joined(tree: exp.Expr) -> bool:
    """Whether an item of FROM is others in parentheses, joined: `(a JOIN b …)`, `((a JOIN b …) JOIN c …)`."""
    if not isinstance(tree, exp.Subquery):
        return False
    inner = tree.this
    is_item = isinstance(inner, exp.Subquery) and bool(inner.alias or inner.args.get("joins"))
    return isinstance(inner, exp.Table) or is_item or is_joined(inner)


def _is_bound(column: exp.Column, root: exp.Expr) -> bool:
    found: exp.Expr | None = column
    while found is not None:
        if isinstance(found, exp.Select) and any(
            item.alias_or_name == column.table for item in tables_of(found)
        ):
            return True
        found = None if found is root else found.parent
    return False
