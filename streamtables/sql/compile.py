"""From a query's text to what a refresh needs of it: the text with exchangeable tables, and the plan."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from streamtables.checks import OnMismatch
from streamtables.errors import StreamTablesError, UnsupportedQuery
from streamtables.model import CLOCK
from streamtables.plan import nodes as n
from streamtables.plan.keys import shown_groups
from streamtables.plan.normalize import normalize
from streamtables.plan.tally import is_counting, tallied
from streamtables.plan.top import kept_core, top_of
from streamtables.plan.walk import find, rewrite
from streamtables.sql.algebraic import Algebra, algebra_of
from streamtables.sql.clock import COLUMNS
from streamtables.sql.comparable import incomparable, incomparable_answer
from streamtables.sql.lower import lower_query
from streamtables.sql.qualify import qualify_query
from streamtables.sql.query import Query
from streamtables.sql.refuse import refuse_never, refuse_weight, without_rule
from streamtables.sql.render import Render
from streamtables.sql.stable import made_stable
from streamtables.sql.typed import collated, floats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamtables.checks import Check
    from streamtables.model import Column, Source, StreamTable, View


@dataclass(frozen=True)
class Compiled:
    """A query and its plan; where it has no delta, that refusal, and no plan if a construct has no rule."""

    query: Query
    sources: tuple[Source, ...]
    plan: n.Node | None
    refusal: UnsupportedQuery | None
    algebra: Algebra | None = None
    """How the aggregate at the top follows from what is kept of it, where it does."""
    is_settled: bool = False
    """Whether the plan says more than the text: the moment that is now, or which row of several comes first."""
    is_whole: bool = True
    """Whether the table holds all rows of the answer: no check leaves some out."""

    @property
    def kept(self) -> n.Aggregate | None:
        """What can be kept beside the table: sums and extremes per group, or counts per row of set operators."""
        if self.plan is None or self.refusal is not None:
            return None
        if not self.is_whole and top_of(self.plan):
            return None
        core = kept_core(self.plan)
        if isinstance(core, n.Aggregate) and self.algebra is not None:
            return replace(core, items=self.algebra.kept)
        return tallied(core) if is_counting(core) else None

    @property
    def reads_clock(self) -> bool:
        """Whether the answer changes as time passes."""
        scans = find(self.plan, n.Scan) if self.plan is not None else ()
        return any(scan.source == CLOCK for scan in scans)

    def reading(self, relations: Mapping[str, str], *, is_as_written: bool = False) -> str:
        """The full query with each source (by the key of its resolved name) read from a relation.

        It is the analyst's own text, unless the plan says more.
        """
        if self.is_settled and self.plan is not None and not is_as_written:
            return Render(sorted(relations), relations=relations).sql(self.plan)
        written = zip(self.query.names, self.sources, strict=True)
        return self.query.reading(
            {name.key: relations[source.name.key] for name, source in written}
        )

    def giving(self, columns: Sequence[Column]) -> Compiled:
        """The same for an answer with columns of these types, by which it may have to be refreshed by FULL."""
        if self.plan is None or self.refusal is not None:
            return self
        refusal = incomparable_answer(self.query.tree, self.plan, columns)
        return replace(self, refusal=refusal) if refusal else self

    @property
    def why_full(self) -> str | None:
        """Why every refresh recomputes, where the query has no plan."""
        return f"{self.refusal.reason}: {self.refusal.message}" if self.refusal else None

    def columns_used(self) -> dict[str, tuple[str, ...]]:
        """The columns of each source that the query reads; all of them where there is no plan to tell."""
        used: dict[str, set[str]] = {source.name.key: set() for source in self.sources}
        if self.reads_clock:
            used[CLOCK] = set()
        if self.plan is None:
            for source in self.sources:
                used[source.name.key] |= {column.name for column in source.columns}
            return {key: tuple(sorted(names)) for key, names in used.items()}
        for scan in find(self.plan, n.Scan):
            used[scan.source] |= set(scan.fields)
        return {key: tuple(sorted(names)) for key, names in used.items()}


def compile_table(table: StreamTable) -> Compiled:
    """The compiled query of a stream table."""
    compiled = compile_query(with_views_inside(table.query, table.views), table.sources)
    if any(check.on_mismatch is OnMismatch.DROP for check in table.checks):
        compiled = replace(compiled, is_whole=False)
    return compiled.giving(table.columns)


def with_views_inside(text: str, views: tuple[View, ...]) -> str:
    """A query with the queries of its views in the place of their names."""
    if not views:
        return text
    return Query.parse(text).inlining({view.written.key: f"({view.query})" for view in views})


@lru_cache(maxsize=4096)  # for those who refresh a thousand tables, one after the other
def compile_query(text: str, sources: tuple[Source, ...]) -> Compiled:
    """Compile a query whose tables, in the order of `Query.names`, resolve to the sources."""
    query = Query.parse(text)
    refuse_never(query.tree)
    written = dict(zip((name.key for name in query.names), sources, strict=True))
    columns = {key: source.columns for key, source in written.items()}
    try:
        written_plan, plan = _plans(query, columns)
        refuse_weight(query.tree, (field for scan in find(plan, n.Scan) for field in scan.fields))
    except UnsupportedQuery as refusal:
        return Compiled(query, sources, None, refusal)
    resolved = rewrite(plan, lambda node: _resolved(node, written))
    is_settled = plan != written_plan or any(scan.source == CLOCK for scan in find(plan, n.Scan))
    algebra = _algebra(plan, {**columns, CLOCK: COLUMNS})
    refused = incomparable(query.tree, plan, {**columns, CLOCK: COLUMNS})
    return Compiled(query, sources, resolved, refused, algebra, is_settled)


def _algebra(plan: n.Node, columns: Mapping[str, tuple[Column, ...]]) -> Algebra | None:
    core, is_limited = kept_core(plan), top_of(plan) is not None
    if not isinstance(core, n.Aggregate) or not (is_limited or shown_groups(plan)):
        return None
    found = algebra_of(core, floats(columns).of(core.child), collated(columns).of(core.child))
    # Below a LIMIT what groups were is not read from the table: it must be the same to the last digit.
    return None if found and is_limited and not (found.is_exact and core.keys) else found


def _plans(query: Query, columns: Mapping[str, tuple[Column, ...]]) -> tuple[n.Node, n.Node]:
    """The plan as written, and in forms whose answer the rows alone decide."""
    try:
        written = normalize(lower_query(qualify_query(query, columns), columns))
        return written, made_stable(query.tree, written, {**columns, CLOCK: COLUMNS})
    except StreamTablesError:
        raise
    except Exception as error:
        # Spark has a construct for which there is no case here: recomputing is right, failing is not.
        raise without_rule(
            "NOT_UNDERSTOOD", query.tree, f"{type(error).__name__}: {error}"
        ) from error


def fingerprint(text: str, sources: tuple[Source, ...], checks: tuple[Check, ...] = ()) -> str:
    """What identifies an answer: the text, the tables and columns it was resolved to, and the rows' checks."""
    content = repr((text.strip(), [(source.name.key, source.columns) for source in sources]))
    content += "".join(f"\n{check}" for check in checks)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _resolved(node: n.Node, written: Mapping[str, Source]) -> n.Node:
    if isinstance(node, n.Scan) and node.source != CLOCK:
        return replace(node, source=written[node.source].name.key)
    return node
