"""Several operators in one SELECT, where that says the same.

    π[f](π[g](R))      SELECT f∘g FROM R
    σ[p](π[g](R))      SELECT g FROM R WHERE p∘g
    γ[k; a](σ[p](R))   SELECT k, a FROM R WHERE p GROUP BY k
    σ[p](γ[k; a](R))   SELECT k, a FROM R GROUP BY k HAVING p∘a

Each method gives the SELECT that does one operator more, or None where that operator needs a SELECT of its own: what is
computed below and read twice above would be computed twice, and a name would mean something else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan.expr import Expr, Item, col
from streamtables.plan.inline import inlined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Block:
    """A SELECT in the making: FROM and joins, columns by name, conditions, and groups unless it has none."""

    reads: exp.Select
    items: Mapping[str, Expr]
    where: tuple[Expr, ...] = ()
    keys: tuple[Expr, ...] | None = None
    having: tuple[Expr, ...] = ()

    @classmethod
    def of(cls, source: exp.Expr, columns: Iterable[str]) -> Block:
        """The columns of a source, as they are."""
        return cls(exp.Select().from_(source, copy=False), {name: col(name) for name in columns})

    def projected(self, items: Sequence[Item]) -> Block | None:
        """SELECT list."""
        made = self._inlined(items)
        if made is None:
            return None
        is_one_row = self.keys == ()
        if is_one_row and not any(expr.tree.find(exp.AggFunc) for expr in made.values()):
            return (
                None  # without an aggregate in its list it would give a row for each that it reads
            )
        return replace(self, items=made)

    def filtered(self, condition: Expr) -> Block | None:
        """WHERE, or HAVING."""
        read = {name: self.items[name] for name in condition.columns}
        if self.keys is None:
            if all(expr.column for expr in read.values()):
                return replace(self, where=(*self.where, condition.replaced(read)))
            return None
        # Names in HAVING may be those of the list: a key that goes by another name there would be missed.
        if all(expr.column in (None, name) for name, expr in read.items()):
            return replace(self, having=(*self.having, condition.replaced(read)))
        return None

    def aggregated(self, keys: Sequence[str], items: Sequence[Item]) -> Block | None:
        """GROUP BY."""
        groups = {key: self.items[key] for key in keys}
        made = self._inlined(items)
        if self.keys is not None or made is None or not (keys or items):
            return None
        if not all(expr.column for expr in groups.values()):
            return None
        return replace(self, items={**groups, **made}, keys=tuple(groups.values()))

    def query(self) -> exp.Select:
        """The SELECT; made once, for it takes what it reads into itself."""
        items = (aliased(Item(name, expr)) for name, expr in self.items.items())
        query = self.reads.select(*items, copy=False)
        if self.where:
            query.where(*_trees(self.where), copy=False)
        if self.keys:
            query.group_by(*_trees(self.keys), copy=False)
        if self.having:
            query.having(*_trees(self.having), copy=False)
        return query

    def _inlined(self, items: Sequence[Item]) -> dict[str, Expr] | None:
        made = inlined(items, self.items)
        return None if made is None else {part.name: part.expr for part in made}


def aliased(part: Item) -> exp.Expr:
    """An item as a SELECT list has it."""
    tree = part.expr.tree.copy()
    if part.expr.column == part.name:
        return tree
    return exp.alias_(tree, part.name, quoted=True, copy=False)


def _trees(exprs: Sequence[Expr]) -> list[exp.Expr]:
    return [expr.tree.copy() for expr in exprs]
