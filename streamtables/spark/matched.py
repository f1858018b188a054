"""Joins of rows that are here: which rows of two tables meet, and what comes of it.

    pairs      rows whose keys are equal, NULL to nothing, and for which the other conditions are true
    left       pairs, and the left rows without any beside NULLs;  semi, anti: the left rows with and without any

Only by keys of one plain type on both sides. Before anything is joined it is counted how many pairs there will be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamtables.spark.computed import truth
from streamtables.spark.plain import comparable, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamtables.plan.expr import Expr

_LEFT, _RIGHT = "l", "r"


def joined(inputs: Sequence[pa.Table], on: Iterable[Expr], most: int) -> pa.Table | None:
    """The inner join of tables, in their order; None where it is not for the driver, or has more than `most` rows."""
    left, conditions = inputs[0], [part for whole in on for part in whole.conjuncts()]
    for right in inputs[1:]:
        names = {*left.column_names, *right.column_names}
        now = [condition for condition in conditions if condition.columns <= names]
        conditions = [condition for condition in conditions if condition not in now]
        found = pairs(left, right, now, most)
        if found is None:
            return None
        left = beside(left.take(found.column(_LEFT)), right.take(found.column(_RIGHT)))
    return left if not conditions else None


def matched(
    left: pa.Table, right: pa.Table, on: Sequence[Expr], kind: str, most: int
) -> pa.Table | None:
    """A left, semi or anti join; None where it is not for the driver."""
    if kind not in ("left", "semi", "anti"):
        return None
    found = pairs(left, right, on, most)
    if found is None:
        return None
    numbers = pa.array(np.arange(left.num_rows))
    meets = pc.is_in(numbers, found.column(_LEFT).combine_chunks())
    if kind != "left":
        return left.filter(meets if kind == "semi" else pc.invert(meets))
    alone = left.filter(pc.invert(meets))
    missing = pa.table({field.name: pa.nulls(alone.num_rows, field.type) for field in right.schema})
    both = beside(left.take(found.column(_LEFT)), right.take(found.column(_RIGHT)))
    return pa.concat_tables([both, beside(alone, missing)])


def pairs(left: pa.Table, right: pa.Table, on: Iterable[Expr], most: int) -> pa.Table | None:
    """The numbers of the rows that meet, as columns `l` and `r`; None where it is not for the driver."""
    ours, theirs = _numbered(left, _LEFT), _numbered(right, _RIGHT)
    keys, others = list[str](), []
    for condition in (part for whole in on for part in whole.conjuncts()):
        columns = _sides(condition, left, right)
        if columns is None:
            others.append(condition)
            continue
        if columns[0].type != columns[1].type or not is_plain(columns[0].type):
            return None
        keys.append(f"k{len(keys)}")
        codes = _codes(*columns, is_null_equal=(condition.operation() or ("",))[0] == "<=>")
        ours, theirs = (
            side.append_column(keys[-1], code)
            for side, code in zip((ours, theirs), codes, strict=True)
        )
    if not keys or _count(ours, theirs, keys) > most:
        return None
    found = ours.join(theirs, keys, join_type="inner").select([_LEFT, _RIGHT])
    return _where(found, left, right, others)


def equal_rows(left: pa.Table, right: pa.Table) -> pa.Table:
    """The numbers of the rows that are equal (`<=>`) in all their columns, as columns `l` and `r`."""
    sides = [_numbered(left, _LEFT), _numbered(right, _RIGHT)]
    keys = [f"k{i}" for i in range(left.num_columns)]
    for key, ours, theirs in zip(keys, left.columns, right.columns, strict=True):
        columns = [comparable(column) for column in (ours.cast(theirs.type), theirs)]
        codes = _codes(*columns, is_null_equal=True)
        sides = [side.append_column(key, code) for side, code in zip(sides, codes, strict=True)]
    return sides[0].join(sides[1], keys, join_type="inner").select([_LEFT, _RIGHT])


def beside(left: pa.Table, right: pa.Table) -> pa.Table:
    """Two tables of as many rows, as one."""
    return pa.table(
        [*left.columns, *right.columns], names=[*left.column_names, *right.column_names]
    )


def _where(found: pa.Table, left: pa.Table, right: pa.Table, on: Iterable[Expr]) -> pa.Table | None:
    """The pairs for which conditions are true."""
    for condition in on:
        rows = beside(left.take(found.column(_LEFT)), right.take(found.column(_RIGHT)))
        is_so = truth(condition, rows)
        if is_so is None:
            return None
        found = found.filter(is_so)
    return found


def _sides(
    condition: Expr, left: pa.Table, right: pa.Table
) -> tuple[pa.ChunkedArray, pa.ChunkedArray] | None:
    """The columns that are to be equal, that of the left table first; None of any other condition."""
    sign, parts = condition.operation() or ("", ())
    names = [part.column for part in parts]
    if sign not in ("=", "<=>"):
        return None
    for one, other in (names, names[::-1]):
        if one in left.column_names and other in right.column_names:
            return left.column(one), right.column(other)
    return None


def _codes(
    left: pa.ChunkedArray, right: pa.ChunkedArray, *, is_null_equal: bool
) -> list[pa.ChunkedArray]:
    """Numbers for values, the same for the same; none for what the right side does not have."""
    if pa.types.is_integer(left.type) and not (left.null_count or right.null_count):
        return [left, right]
    values = right.unique()
    return [pc.index_in(side, values, skip_nulls=not is_null_equal) for side in (left, right)]


def _count(left: pa.Table, right: pa.Table, keys: list[str]) -> int:
    """How many pairs of rows have equal keys."""
    sides = [
        side.group_by(keys).aggregate([(name, "count")])
        for side, name in ((left, _LEFT), (right, _RIGHT))
    ]
    both = sides[0].join(sides[1], keys, join_type="inner")
    product = pc.multiply(both.column(f"{_LEFT}_count"), both.column(f"{_RIGHT}_count"))
    return int(pc.sum(product).as_py() or 0)


def _numbered(table: pa.Table, name: str) -> pa.Table:
    return pa.table({name: np.arange(table.num_rows)})
