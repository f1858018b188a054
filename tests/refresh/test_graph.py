"""The order of stream tables over stream tables."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from streamtables.errors import CycleFound
from streamtables.model import RefreshMode, Source, SourceKind, StreamTable, TableName
from streamtables.refresh.graph import downstream, in_order, upstream


def table(name: str, *reads: str) -> StreamTable:
    sources = tuple(Source(TableName((read,)), SourceKind.DELTA, ()) for read in reads)
    made = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return StreamTable(
        name, TableName((name,)), "", None, RefreshMode.AUTO, (), sources, "", 1, made
    )


DIAMOND = [table("d", "b", "c"), table("c", "a", "x"), table("b", "A"), table("a", "x")]


def names(tables: list[StreamTable]) -> list[str]:
    return [str(found.name) for found in tables]


def test_each_after_those_it_reads_whatever_their_case() -> None:
    assert names(in_order(DIAMOND)) == ["a", "b", "c", "d"]


def test_upstream_ends_with_the_table_itself() -> None:
    assert names(upstream(DIAMOND[2], DIAMOND)) == ["a", "b"]


def test_downstream_is_in_the_order_to_refresh() -> None:
    assert names(downstream(DIAMOND[3], DIAMOND)) == ["b", "c", "d"]
    assert names(downstream(DIAMOND[0], DIAMOND)) == []


def test_a_cycle_is_refused_by_its_names() -> None:
    with pytest.raises(CycleFound, match=r"a reads b reads a|b reads a reads b"):
        in_order([table("a", "b"), table("b", "a")])
