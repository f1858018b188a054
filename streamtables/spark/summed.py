"""A change added up on the driver: what Spark has to compute of it comes as it is, the rest is here already.

    Σ (a ∪ b ∪ …)   each row once with the sum of its weights, those that cancel left out

Spark is spared the adding up, which needs a shuffle and code made anew for each refresh, and the way there of all rows
that the driver has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from streamtables.plan import nodes as n
from streamtables.plan.walk import children
from streamtables.plan.weighted import is_consolidated
from streamtables.spark.local import answer, of_one_type
from streamtables.spark.plain import are_comparable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql.types import StructType

    from streamtables.spark.relations import Relation

WEIGHT = n.WEIGHT
_PLAIN = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "decimal", "float", "double"),
    *("string", "date", "timestamp", "timestamp_ntz"),
)


def summed(
    plan: n.Node,
    leaf: Callable[[n.Changed | n.Step], pa.Table | None],
    rest: Callable[[n.Node], pa.Table | None],
) -> pa.Table | None:
    """The answer of a plan that adds up a union; None for any other plan, and where it is for Spark.

    `leaf` gives leaves that are here, and `rest` has Spark compute a plan, if its answer is small.
    """
    if not is_consolidated(plan):
        return None
    union = children(children(plan)[0])[0]
    inputs = union.inputs if isinstance(union, n.UnionAll) else (union,)
    found = {i: table for i, part in enumerate(inputs) if (table := answer(part, leaf)) is not None}
    tables = list(found.values())
    if not all(map(are_comparable, tables)):
        return None
    left = tuple(part for i, part in enumerate(inputs) if i not in found)
    if left:
        computed = rest(left[0] if len(left) == 1 else n.UnionAll(left))
        if computed is None:
            return None
        tables.append(computed)
    return together(tables, plan.columns)


def together(tables: list[pa.Table], columns: tuple[str, ...]) -> pa.Table | None:
    """Weighted rows added up; None where their types differ, or are equal by rules that Arrow does not know."""
    named = of_one_type([table.rename_columns(list(columns)) for table in tables])
    if named is None or not all(map(are_comparable, named)):
        return None
    names = [name for name in columns if name != WEIGHT]
    rows = pa.concat_tables(named).group_by(names).aggregate([(WEIGHT, "sum")])
    rows = rows.rename_columns([*names, WEIGHT]).select(list(columns))
    return rows.filter(pc.field(WEIGHT) != 0).combine_chunks()


def are_plain(schema: StructType) -> bool:
    """The same of Spark's types, before anything is computed."""
    kinds = (field.dataType.simpleString().partition("(")[0] for field in schema.fields)
    return all(kind in _PLAIN for kind in kinds)


def is_bounded(plan: n.Node, relations: Mapping[str, Relation], most: int) -> bool:
    """Whether an answer has at most `most` rows for sure: one per group, of groups whose keys are known."""
    if isinstance(plan, n.UnionAll):
        return all(is_bounded(part, relations, most // len(plan.inputs)) for part in plan.inputs)
    while isinstance(plan, (n.Filter, n.Project)):
        plan = plan.child
    if not isinstance(plan, n.Aggregate) or not isinstance(plan.child, n.Restrict):
        return False
    keys = relations.get(plan.child.keys.name)
    is_known = keys is not None and keys.local is not None and keys.row_count <= most
    return is_known and set(plan.child.on) == set(plan.keys)
