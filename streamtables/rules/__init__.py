"""Delta rules: RULES says which operator has which; derive.py applies them.

Literature: Budiu et al., "DBSP: Automatic Incremental View Maintenance for Rich Query Languages", VLDB 2023 (weighted
bags, linear and bilinear operators); Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally", SIGMOD 1993
(counting).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamtables.plan import nodes as n
from streamtables.rules import distinct, except_, intersect, union
from streamtables.rules.aggregate import delta_aggregate
from streamtables.rules.distinct import delta_distinct
from streamtables.rules.except_ import delta_except
from streamtables.rules.filter import delta_filter
from streamtables.rules.fixpoint import delta_fixpoint
from streamtables.rules.generate import delta_generate
from streamtables.rules.intersect import delta_intersect
from streamtables.rules.join import delta_join
from streamtables.rules.match import delta_match
from streamtables.rules.project import delta_project
from streamtables.rules.scan import delta_scan
from streamtables.rules.union import delta_union
from streamtables.rules.union_all import delta_union_all
from streamtables.rules.window import delta_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.plan.expr import Expr

RULES: dict[type[n.Node], Callable[[Any, Any], n.Node]] = {
    n.Scan: delta_scan,
    n.Filter: delta_filter,
    n.Project: delta_project,
    n.UnionAll: delta_union_all,
    n.Join: delta_join,
    n.Match: delta_match,
    n.Generate: delta_generate,
    n.Aggregate: delta_aggregate,
    n.Window: delta_window,
    n.Fixpoint: delta_fixpoint,
    n.Distinct: delta_distinct,
    n.Union: delta_union,
    n.Intersect: delta_intersect,
    n.Except: delta_except,
}

# How often a row is in the answer of a counting operator, by its copies in the inputs.
OUT: dict[type[n.Node], Callable[[Any], Callable[..., Expr]]] = {
    n.Distinct: distinct.out_of,
    n.Union: union.out_of,
    n.Intersect: intersect.out_of,
    n.Except: except_.out_of,
}

# Operators whose change is materialised as soon as it is derived: it is dear, and small.
STAGED = (n.Aggregate, n.Window, n.Fixpoint, n.Distinct, n.Union, n.Intersect, n.Except)
# Operators whose old state is not made of old inputs: it is their new state minus their change.
SUBTRACTED = (n.Scan, n.Match, *STAGED)
