"""Which columns of a plan may hold floats, collated texts, and what has no order: rather too many than too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.walk import children
from streamtables.sql import functions
from streamtables.sql.refuse import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamtables.model import Column

_FLOAT = ("double", "float", "real")
_WITHOUT_ORDER = ("map<", "variant")
_COLLATED = ("collate",)


class Traced:
    """The columns of a node that come from source columns of some types, or from expressions that make such values."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Column]],
        types: Sequence[str],
        makes: Callable[[exp.Expr, frozenset[str]], bool],
    ) -> None:
        self._columns, self._types, self._makes = columns, types, makes
        self._recurring: dict[str, frozenset[str]] = {}

    def of(self, node: n.Node) -> frozenset[str]:
        """The names of those columns."""
        if isinstance(node, n.Scan):
            types = {column.name: column.type.lower() for column in self._columns[node.source]}
            pairs = zip(node.fields, node.names, strict=True)
            return frozenset(name for field, name in pairs if self._is_one(types[field]))
        if isinstance(node, n.Recur):
            return self._recurring.get(node.name, frozenset())
        if isinstance(node, n.Fixpoint):
            return self._fixpoint(node)
        below = frozenset[str]().union(*(self.of(child) for child in children(node)))
        if isinstance(node, (n.Project, n.Aggregate, n.Window)):
            computed = {item.name for item in node.items if self._makes(item.expr.tree, below)}
            return below & set(node.columns) | computed
        if isinstance(node, n.Generate) and self._makes(node.call.tree, below):
            return below | set(node.names)
        if isinstance(node, n.Constant):
            return self._constant(node)
        return below & set(node.columns) | self._by_position(node)

    def _fixpoint(self, node: n.Fixpoint) -> frozenset[str]:
        """The rows found last are such where the base or, with them being so, the step makes them such."""
        found = frozenset[str]()
        while True:
            self._recurring[node.name] = found
            sides = ((side.columns, self.of(side)) for side in (node.base, node.step))
            places = {i for names, such in sides for i, name in enumerate(names) if name in such}
            more = frozenset(node.names[i] for i in places)
            if more <= found:
                return found
            found |= more

    def _constant(self, node: n.Constant) -> frozenset[str]:
        rows = node.relation.tree.expressions if isinstance(node.relation.tree, exp.Values) else ()
        return frozenset(
            name
            for i, name in enumerate(node.names)
            if any(self._makes(row.expressions[i], frozenset()) for row in rows)
        )

    def _is_one(self, type_name: str) -> bool:
        return any(word in type_name for word in self._types)

    def _by_position(self, node: n.Node) -> frozenset[str]:
        """The columns that are such because the column of some input is, at the same place."""
        if not isinstance(node, (n.UnionAll, n.Union, n.Intersect, n.Except)):
            return frozenset()
        found = [(child.columns, self.of(child)) for child in children(node)]
        places = {i for names, such in found for i, name in enumerate(names) if name in such}
        return frozenset(node.columns[i] for i in places)


def floats(columns: Mapping[str, Sequence[Column]]) -> Traced:
    """Traces floats."""
    return Traced(columns, _FLOAT, is_float)


def unordered(columns: Mapping[str, Sequence[Column]]) -> Traced:
    """Traces values such as maps, which cannot be sorted."""
    return Traced(columns, _WITHOUT_ORDER, _is_unordered)


def maps(columns: Mapping[str, Sequence[Column]]) -> Traced:
    """Traces maps themselves, not what is read from them."""
    return Traced(columns, _WITHOUT_ORDER, is_map)


def collated(columns: Mapping[str, Sequence[Column]]) -> Traced:
    """Traces texts by whose collation different ones may be equal."""
    return Traced(columns, _COLLATED, is_collated)


def is_collated(tree: exp.Expr, such: frozenset[str]) -> bool:
    """Whether an expression over columns of which some are such texts may be one."""
    if any(found.name in such for found in tree.find_all(exp.Column)):
        return True
    return tree.find(exp.Collate) is not None or any(name == "collate" for name, _ in calls(tree))


def is_float(tree: exp.Expr, such: frozenset[str]) -> bool:
    """Whether an expression over columns of which some are floats may be one."""
    if isinstance(tree, exp.Column):
        return tree.name in such
    if isinstance(tree, exp.Cast):
        return tree.to.sql(dialect="spark").lower() in _FLOAT
    if isinstance(tree, exp.Literal):
        return not tree.is_string and ("e" in tree.name.lower() or "d" in tree.name.lower())
    if isinstance(tree, (exp.Predicate, exp.Connector, exp.Not, exp.Count)):
        return False
    if isinstance(tree, exp.Div):
        return True
    if isinstance(tree, exp.Func) and next(calls(tree))[0] in functions.FLOATS:
        return True
    return any(is_float(part, such) for part in tree.iter_expressions())


def is_map(tree: exp.Expr, such: frozenset[str]) -> bool:
    """Whether an expression over columns of which some are maps may be one: not what reads from it by a key."""
    if isinstance(tree, exp.Column):
        return tree.name in such
    if isinstance(tree, exp.Cast):
        return "map" in tree.to.sql(dialect="spark").lower()
    if isinstance(tree, (exp.Predicate, exp.Connector, exp.Not, exp.Count, exp.Bracket)):
        return False
    if isinstance(tree, exp.Func):
        name = next(calls(tree))[0]
        if name in functions.MAPS:
            return True
        if name not in functions.HANDING_ON:
            return False
    return any(is_map(part, such) for part in tree.iter_expressions())


def _is_unordered(tree: exp.Expr, such: frozenset[str]) -> bool:
    if any(found.name in such for found in tree.find_all(exp.Column)):
        return True
    return any(name in functions.MAPS for name, _ in calls(tree))
