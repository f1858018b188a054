"""ROW_NUMBER on the driver: rows numbered along an order, within partitions, as Spark numbers them.

Ordered are whole numbers, DECIMALs, dates, moments, truths and texts, which Arrow and Spark compare alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamtables.spark.plain import is_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.plan.expr import Order
    from streamtables.plan.nodes import Window


def numbered(window: Window, rows: pa.Table) -> pa.Table | None:
    """The rows with what a window adds to them, if that is but ROW_NUMBER over columns."""
    for item in window.items:
        order = item.expr.order()
        names = [*window.keys, *(key.column for key in order or ())]
        if order is None or not all(is_plain(rows.column(name).type) for name in names):
            return None
        ranks = _ranks(rows, window.keys, order)
        rows = rows.append_column(item.name, pa.array(ranks, pa.int32()))
    return rows


def _ranks(rows: pa.Table, keys: Sequence[str], order: Sequence[Order]) -> np.ndarray[Any, Any]:
    places = np.arange(rows.num_rows)
    # Each sort leaves equal rows as they lie, so the last key goes first.
    for key in reversed(order):
        how = "descending" if key.is_descending else "ascending"
        nulls = "at_start" if key.is_null_first else "at_end"
        column = rows.column(key.column).take(pa.array(places))
        places = places[pc.array_sort_indices(column, order=how, null_placement=nulls).to_numpy()]
    groups = _groups(rows.select(list(keys)))[places]
    by_group = np.argsort(groups, kind="stable")
    places, groups = places[by_group], groups[by_group]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(begins, append=len(groups))
    ranks = np.empty(len(places), np.int64)
    ranks[places] = np.arange(len(groups)) - np.repeat(begins, sizes) + 1
    return ranks


def _groups(keys: pa.Table) -> np.ndarray[Any, Any]:
    """A number for each row, the same for rows with the same keys; NULL is one of them."""
    found = np.zeros(keys.num_rows, np.int64)
    for column in keys.columns:
        codes = pc.index_in(column, column.unique()).combine_chunks().to_numpy()
        _, found = np.unique(found * (len(column) + 1) + codes, return_inverse=True)
    return found
