"""Graphs refreshed at one moment, by many random orders of events, in a lake of version numbers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from helpers.vectors import VectorLake, stream_table
from hypothesis import given
from hypothesis import strategies as st

from streamtables.errors import Busy
from streamtables.model import Action, Status, StreamTable
from streamtables.refresh.fan_out import FanOut
from streamtables.refresh.graph import in_order, upstream

if TYPE_CHECKING:
    from collections.abc import Callable

# Two diamonds, one on the other, and a table apart.
GRAPH = [
    stream_table("a", "s"),
    stream_table("b", "s", "t"),
    stream_table("c", "a", "t"),
    stream_table("d", "b", "c"),
    stream_table("e", "d", "u"),
    stream_table("f", "d", "s"),
    stream_table("g", "e", "f"),
    stream_table("z", "u"),
]
NAMES = [str(table.name) for table in GRAPH]


def some(name: str) -> Callable[[Any], list[StreamTable]]:
    return lambda every: upstream(next(t for t in every if str(t.name) == name), every)


@pytest.mark.long
@given(st.data())
def test_no_table_mixes_moments_whoever_refreshes_and_writes(data: st.DataObject) -> None:
    """Each refresh may be interrupted, at any step, by writers and by refreshes of others."""
    lake = VectorLake("stu")
    depth = 0

    def observe(step: str) -> None:
        nonlocal depth
        if step not in ("lock", "unlock") or depth == 2:  # a table's lock is held in between
            if data.draw(st.integers(0, 3)) == 0:
                lake.write(data.draw(st.sampled_from("stu")))
            return
        if data.draw(st.integers(0, 4)) == 0:
            depth += 1
            FanOut(refresher).refresh(some(data.draw(st.sampled_from(NAMES))))
            depth -= 1

    refresher = lake.refresher(GRAPH, observe)
    for _ in range(3):
        lake.write(data.draw(st.sampled_from("stu")))
        name = data.draw(st.sampled_from([*NAMES, None]))
        try:
            FanOut(refresher).refresh(some(name) if name else in_order)
        except Busy:
            assert depth == 0, "others were ahead ten times"
        assert lake.mixed == []
    depth = 2
    ended = FanOut(refresher).refresh(in_order)
    assert lake.mixed == []
    assert all(one.error is None for one in ended.values())


def test_frontiers_tell_the_base_tables() -> None:
    lake = VectorLake("stu")
    refresher = lake.refresher(GRAPH)
    lake.write("t")
    lake.write("u")
    ended = FanOut(refresher).refresh(in_order)
    stood = ended["`g`"].refresh.frontier
    assert stood is not None
    assert {key: position.version for key, position in stood.bases.items()} == {
        "`s`": 0, "`t`": 1, "`u`": 1
    }  # fmt: skip
    assert lake.vector("g") == {"s": 0, "t": 1, "u": 1}
    plain = ended["`z`"].refresh.frontier
    assert plain is not None
    assert plain.bases == {}, "its positions say it all"
    assert len({one.refresh.frontier.data_timestamp for one in ended.values()}) == 1  # type: ignore[union-attr]
    assert refresher.catalog.frontier("g") == stood


def test_without_news_nothing_moves_but_the_time() -> None:
    lake = VectorLake("stu")
    refresher = lake.refresher(GRAPH)
    first, second = (FanOut(refresher).refresh(in_order) for _ in range(2))
    assert {one.refresh.action for one in second.values()} == {Action.NO_DATA}
    for key, one in second.items():
        before, after = first[key].refresh.frontier, one.refresh.frontier
        assert before is not None
        assert after is not None
        assert before.data_timestamp is not None
        assert after.data_timestamp is not None
        assert before.data_timestamp < after.data_timestamp
        assert (before.number, before.positions) == (after.number, after.positions)


def test_independent_tables_run_at_once() -> None:
    both = threading.Barrier(2, timeout=60)

    def observe(step: str) -> None:
        if step == "derive":
            both.wait()  # breaks unless two tables derive at the same time

    lake = VectorLake("s")
    tables = [stream_table("a", "s"), stream_table("b", "s")]
    refresher = lake.refresher(tables, observe)
    lake.write("s")
    ended = FanOut(refresher, parallel=2).refresh(in_order)
    assert [one.refresh.action for one in ended.values()] == [Action.INCREMENTAL] * 2


def test_slots_limit_how_many_run() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def observe(step: str) -> None:
        nonlocal running, most
        with lock:
            running += {"lock": 1, "unlock": -1}.get(step, 0)
            most = max(most, running)

    lake = VectorLake("s")
    refresher = lake.refresher([stream_table(name, "s") for name in "abcdef"], observe)
    lake.write("s")
    FanOut(refresher, parallel=6, slots=threading.Semaphore(2)).refresh(in_order)
    assert most <= 2


@pytest.mark.parametrize("parallel", [1, 3])
def test_a_failure_keeps_back_those_below_and_no_others(parallel: int) -> None:
    lake = VectorLake("stu")
    refresher = lake.refresher(GRAPH)
    for base in "stu":
        lake.write(base)
    lake.failing["`c`"] = ValueError("broken")
    ended = FanOut(refresher, parallel).refresh(in_order)
    actions = {name: ended[f"`{name}`"].refresh.action.value for name in NAMES}
    assert actions == {
        **dict.fromkeys("abz", "INCREMENTAL"), "c": "FAILED", **dict.fromkeys("defg", "UPSTREAM_FAILED"),
    }  # fmt: skip
    assert ended["`d`"].refresh.detail == "c failed"
    assert str(ended["`c`"].error) == "broken"
    noted = {row.name: row.action.value for row in refresher.catalog.history()}
    assert noted == actions


def test_what_is_paused_or_suspended_is_left_with_those_below() -> None:
    lake = VectorLake("stu")
    refresher = lake.refresher(GRAPH)
    refresher.catalog.set_status("e", Status.PAUSED)
    ended = FanOut(refresher, heeds_status=True).refresh(in_order)
    left = {name: ended[f"`{name}`"].refresh.reason for name in "efg"}
    assert left == {"e": "PAUSED", "f": "NO_CHANGE", "g": "UPSTREAM_PAUSED"}
    refresher.catalog.set_status("e", Status.SUSPENDED, "why")
    ended = FanOut(refresher, heeds_status=True).refresh(in_order)
    assert ended["`e`"].refresh.detail == "why"
    assert ended["`g`"].refresh.action is Action.UPSTREAM_FAILED
    by_hand = FanOut(refresher).refresh(some("g"))
    assert by_hand["`g`"].refresh.action is Action.NO_DATA


def test_one_who_must_stop_begins_no_other_table() -> None:
    lake = VectorLake("stu")
    left = iter([True, True])
    how = FanOut(lake.refresher(GRAPH), may_start=lambda: next(left, False))
    assert list(how.refresh(in_order)) == ["`a`", "`b`"]


def test_others_always_ahead_end_in_busy() -> None:
    lake = VectorLake("st")
    tables = [stream_table("a", "s"), stream_table("d", "a", "s")]

    def observe(step: str) -> None:
        if step == "note" and not is_other:
            run_ahead()

    is_other: list[bool] = []

    def run_ahead() -> None:
        is_other.append(True)
        lake.write("s")
        FanOut(refresher).refresh(some("d"))
        is_other.clear()

    refresher = lake.refresher(tables, observe)
    lake.write("s")
    with pytest.raises(Busy, match="were ahead 10 times"):
        FanOut(refresher).refresh(some("d"))
    assert lake.mixed == []
