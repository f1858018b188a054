"""Plan or delta to SQL: one `render_<node>` per node. The only place where SQL text is made.

Each node becomes a query whose columns bear the node's names. Leaves are read from relations that the engine has put in
place under the names that `leaf_name` gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from streamtables.plan import nodes as n
from streamtables.plan.expr import Expr, col
from streamtables.plan.marks import as_joins
from streamtables.plan.void import is_void
from streamtables.sql.block import Block, aliased
from streamtables.sql.dialect import MOST_LEVELS, Exact
from streamtables.sql.literals import among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def leaf_name(leaf: n.Node, sources: Sequence[str]) -> str:
    """The name under which the engine puts a leaf in place."""
    if isinstance(leaf, n.Scan):
        return f"new_{sources.index(leaf.source)}"
    if isinstance(leaf, n.Changed):
        return f"changed_{sources.index(leaf.source)}"
    if isinstance(leaf, n.Step):
        return leaf.name
    if isinstance(leaf, n.State):
        return "state"
    assert isinstance(leaf, n.Stored), leaf
    return "stored"


class Render:
    """Renders trees over given sources.

    `known` gives the values that keys of materialised leaves have, to be written in a dialect; `relations` what sources
    are to be read from.
    """

    def __init__(
        self,
        sources: Sequence[str],
        known: Callable[[n.Changed | n.Step, str], Sequence[Expr] | None] = lambda *_: None,
        relations: Mapping[str, str] | None = None,
        dialect: str = "spark",
    ) -> None:
        self._sources = sources
        self._known = known
        self._relations = relations or {}
        self._dialect = dialect
        self._aliases = 0

    def sql(self, node: n.Node) -> str:
        """The text of the query that computes a node."""
        return self.query(node).sql(dialect=Exact)

    def query(self, node: n.Node) -> exp.Query:
        """The query that computes a node."""
        render: Callable[[Any], exp.Query] | None
        render = getattr(self, f"render_{type(node).__name__.lower()}", None)
        return render(node) if render else self.block(node).query()

    def block(self, node: n.Node) -> Block:
        """The SELECT that computes a node, which may do what is above it, too."""
        made = getattr(self, f"block_{type(node).__name__.lower()}", self._apart)(node)
        assert isinstance(made, Block)
        return made

    def block_scan(self, node: n.Scan) -> Block:
        """A source at its pinned version."""
        return self._leaf(node, node.fields, node.names)

    def block_changed(self, node: n.Changed) -> Block:
        """The change of a source."""
        return self._leaf(node, (*node.fields, n.WEIGHT), node.columns)

    def block_step(self, node: n.Step) -> Block:
        """An earlier step."""
        return self._leaf(node, node.names, node.names)

    def block_stored(self, node: n.Stored) -> Block:
        """The stream table's own rows."""
        return self._leaf(node, node.fields, node.names)

    def block_state(self, node: n.State) -> Block:
        """What is kept beside the stream table."""
        return self._leaf(node, node.names, node.names)

    def render_onerow(self, _: n.OneRow) -> exp.Query:
        """One row; nobody reads its column."""
        return exp.select(exp.alias_(exp.Literal.number(1), "one", quoted=True))

    def block_filter(self, node: n.Filter) -> Block:
        """WHERE or HAVING."""
        return self._filtered(self.block(node.child), node.condition)

    def block_project(self, node: n.Project) -> Block:
        """SELECT list."""
        below = self.block(node.child)
        return _sure(below.projected(node.items) or self._above(below).projected(node.items))

    def block_aggregate(self, node: n.Aggregate) -> Block:
        """GROUP BY."""
        below = self.block(node.child)
        made = below.aggregated(node.keys, node.items)
        return _sure(made or self._above(below).aggregated(node.keys, node.items))

    def block_restrict(self, node: n.Restrict) -> Block:
        """Touched keys: literals where they are known, and a null-safe semi join where those are not exact."""
        block = self.block(node.child)
        exact = len(node.on) == 1
        for column, key in zip(node.on, node.keys.columns, strict=True):
            literals = self._known(node.keys, key)
            if literals is None:
                exact = False
            else:
                block = self._filtered(block, among(column, literals, self._dialect))
        return block if exact else self._semi_join(block, node)

    def block_narrow(self, node: n.Narrow) -> Block:
        """The values as literals, which prune files and pages; nothing where they are unknown."""
        block, literals = self.block(node.child), self._known(node.keys, node.key)
        if literals is None:
            return block
        return self._filtered(block, among(node.column, literals, self._dialect))

    def block_join(self, node: n.Join) -> Block:
        """The inputs in the given order, each condition at the first join that can decide it."""
        waiting = list(node.on)
        query = exp.Select().from_(self._source(node.inputs[0]), copy=False)
        reached = set(node.inputs[0].columns)
        for child in node.inputs[1:]:
            reached |= set(child.columns)
            ready = [on for on in waiting if on.columns <= reached]
            waiting = [on for on in waiting if on not in ready]
            source = self._source(child)
            if ready:
                condition = exp.and_(*(_met(on, node.inputs) for on in ready), copy=False)
                query.append("joins", exp.Join(this=source, kind="INNER", on=condition))
            else:
                query.append("joins", exp.Join(this=source, kind="CROSS"))
        return Block(query, {name: col(name) for name in node.columns}, tuple(waiting))

    def block_match(self, node: n.Match) -> Block:
        """Outer, semi and anti joins, and marks in terms of them."""
        if node.kind == "mark":
            return self.block(as_joins(node))
        on = [_met(condition, (node.left, node.right)) for condition in node.on]
        query = exp.Select().from_(self._source(node.left), copy=False)
        condition = exp.and_(*on, copy=False) if on else exp.true()
        side = "FULL" if node.kind == "full" else "LEFT"
        kind = node.kind.upper() if node.kind in {"semi", "anti"} else None
        source = self._source(node.right)
        query.append("joins", exp.Join(this=source, side=side, kind=kind, on=condition))
        return Block(query, {name: col(name) for name in node.columns})

    def render_unionall(self, node: n.UnionAll) -> exp.Query:
        """UNION ALL by position."""
        return _set_operation(
            exp.Union, [self.query(child) for child in node.inputs], distinct=False
        )

    def render_union(self, node: n.Union) -> exp.Query:
        """UNION."""
        return self._pair(exp.Union, node, distinct=True)

    def render_intersect(self, node: n.Intersect) -> exp.Query:
        """INTERSECT [ALL]."""
        return self._pair(exp.Intersect, node, distinct=not node.all)

    def render_except(self, node: n.Except) -> exp.Query:
        """EXCEPT [ALL]."""
        return self._pair(exp.Except, node, distinct=not node.all)

    def render_distinct(self, node: n.Distinct) -> exp.Query:
        """SELECT DISTINCT."""
        return self.block(node.child).query().distinct(copy=False)

    def render_window(self, node: n.Window) -> exp.Query:
        """Window functions beside the columns."""
        items = [aliased(item) for item in node.items]
        return self._from(node.child, node.child.columns).select(*items, copy=False)

    def render_generate(self, node: n.Generate) -> exp.Query:
        """LATERAL VIEW."""
        self._aliases += 1
        names = [exp.to_identifier(name, quoted=True) for name in node.names]
        table = exp.TableAlias(
            this=exp.to_identifier(f"q{self._aliases}", quoted=True), columns=names
        )
        call = node.call.tree.copy()
        view = exp.Lateral(this=call, view=True, outer=node.is_outer or None, alias=table)
        return self._from(node.child, node.columns).lateral(view, copy=False)

    def render_constant(self, node: n.Constant) -> exp.Query:
        """VALUES and functions that make tables; their columns are named by an alias."""
        self._aliases += 1
        names = [exp.to_identifier(name, quoted=True) for name in node.names]
        relation = node.relation.tree.copy()
        word = exp.to_identifier(f"q{self._aliases}", quoted=True)
        relation.set("alias", exp.TableAlias(this=word, columns=names))
        return _select(node.names, relation)

    def render_fixpoint(self, node: n.Fixpoint) -> exp.Query:
        """WITH RECURSIVE."""
        both = [self.query(node.base), self.query(node.step)]
        names = [exp.to_identifier(name, quoted=True) for name in node.names]
        alias = exp.TableAlias(this=exp.to_identifier(node.name, quoted=True), columns=names)
        if node.most:
            alias.meta[MOST_LEVELS] = exp.Literal.number(node.most)
        cte = exp.CTE(this=_set_operation(exp.Union, both, distinct=False), alias=alias)
        query = _select(node.names, exp.Table(this=exp.to_identifier(node.name, quoted=True)))
        query.set("with_", exp.With(expressions=[cte], recursive=True))
        return query

    def render_recur(self, node: n.Recur) -> exp.Query:
        """The rows found last."""
        return _select(node.names, exp.Table(this=exp.to_identifier(node.name, quoted=True)))

    def render_copies(self, node: n.Copies) -> exp.Query:
        """Each row as often as its weight says."""
        numbers = exp.GenerateSeries(
            start=exp.Literal.number(1), end=exp.cast(col(n.WEIGHT).tree, exp.DType.INT)
        )
        rows = self._from(node.child, node.columns).select(
            exp.alias_(exp.Explode(this=numbers), "_copy", quoted=True), copy=False
        )
        return _select(node.columns, self._aliased(rows))

    def _pair(self, kind: type[exp.SetOperation], node: Any, *, distinct: bool) -> exp.Query:
        return _set_operation(
            kind, [self.query(node.left), self.query(node.right)], distinct=distinct
        )

    def _leaf(self, leaf: n.Node, fields: Sequence[str], names: Sequence[str]) -> Block:
        word = leaf_name(leaf, self._sources)
        if isinstance(leaf, n.Scan):
            word = self._relations.get(leaf.source, word)
        table = exp.Table(this=exp.to_identifier(word, quoted=True))
        pairs = zip(names, fields, strict=True)
        return Block(
            exp.Select().from_(table, copy=False), {name: col(field) for name, field in pairs}
        )

    def _apart(self, node: n.Node) -> Block:
        """A node in a query of its own."""
        return Block.of(self._source(node), node.columns)

    def _above(self, block: Block) -> Block:
        """A SELECT that reads another."""
        return Block.of(self._aliased(block.query()), block.items)

    def _filtered(self, block: Block, condition: Expr) -> Block:
        return _sure(block.filtered(condition) or self._above(block).filtered(condition))

    def _from(self, child: n.Node, columns: Sequence[str]) -> exp.Select:
        return _select(columns, self._source(child))

    def _source(self, child: n.Node) -> exp.Expr:
        return self._aliased(self.query(child))

    def _aliased(self, query: exp.Query) -> exp.Subquery:
        self._aliases += 1
        return query.subquery(f"q{self._aliases}", copy=False)

    def _semi_join(self, block: Block, node: n.Restrict) -> Block:
        keys = self._leaf(node.keys, node.keys.names, node.keys.names).query()
        same = [
            exp.Is(this=_column("k", key), expression=exp.null())
            if is_void(node.child, column)
            else exp.NullSafeEQ(this=_column("l", column), expression=_column("k", key))
            for column, key in zip(node.on, node.keys.names, strict=True)
        ]
        left = block.query().subquery("l", copy=False)
        right = keys.subquery("k", copy=False)
        on = exp.and_(*same, copy=False)
        joined = exp.Select().from_(left, copy=False)
        joined.append("joins", exp.Join(this=right, side="LEFT", kind="SEMI", on=on))
        return Block(joined, {name: Expr(_column("l", name)) for name in node.columns})


def _select(columns: Sequence[str], source: exp.Expr) -> exp.Select:
    items = (col(name).tree for name in columns)
    return exp.select(*items, copy=False).from_(source, copy=False)


def _sure(block: Block | None) -> Block:
    """What fits, because it reads columns alone."""
    assert block is not None
    return block


def _met(on: Expr, inputs: Sequence[n.Node]) -> exp.Expr:
    """A condition of a join, as it is or, of a column without a type, in the words that Spark gets right."""
    pair = on.equality() if isinstance(on.tree, exp.NullSafeEQ) else None
    for name, other in (pair, pair[::-1]) if pair else ():
        if any(name in child.columns and is_void(child, name) for child in inputs):
            return exp.Is(this=col(other).tree, expression=exp.null())
    return on.tree.copy()


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _set_operation(
    kind: type[exp.SetOperation], queries: Sequence[exp.Query], *, distinct: bool
) -> exp.Query:
    """Operands in parentheses: EXCEPT and UNION ALL bind equally, INTERSECT tighter."""
    result = queries[0]
    for query in queries[1:]:
        left = result if isinstance(result, exp.Select) else exp.Subquery(this=result)
        right = query if isinstance(query, exp.Select) else exp.Subquery(this=query)
        result = kind(this=left, expression=right, distinct=distinct)
    return result
