"""One suite over the registry in memory, in SQLite and in PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from streamtables.errors import NameTaken, NotAStreamTable
from streamtables.model import Action, Frontier, Position, Refresh, Status, TableName

if TYPE_CHECKING:
    from streamtables.catalog.base import Catalog

NOON = datetime(2026, 3, 4, 12, 0, 0, 123456, tzinfo=timezone.utc)
ODD = "it's `odd`; DROP TABLE history; -- ä 🐘"


def at(number: int, version: int = 0) -> Frontier:
    position = Position("table-id", version or number, "hash")
    return Frontier(number, {"`sales`.`orders`": position}, NOON)


def attempt(number: int, table_id: str = "id-sales.by_region", **changes: Any) -> Refresh:
    refresh = Refresh(
        table_id=table_id,
        name="sales.by_region",
        number=number,
        action=Action.INCREMENTAL,
        reason="SMALL_CHANGE",
        started_at=NOON + timedelta(seconds=number),
        seconds=0.25,
    )
    return replace(refresh, **changes)


def noted(catalog: Catalog, table_id: str | None = None, limit: int = 100) -> list[int]:
    return [refresh.number for refresh in catalog.history(table_id, limit)]


# Definitions


def test_a_new_registry_is_empty(catalog: Catalog) -> None:
    assert catalog.tables() == []
    assert catalog.find(TableName(("t",))) is None
    assert catalog.frontier("id") is None
    assert catalog.frontiers() == {}
    assert catalog.paths() == {}
    assert catalog.history() == []


def test_a_table_comes_back_as_it_was(catalog: Catalog, make_table: Any) -> None:
    plain = make_table()
    odd = make_table(
        "`a.b`.`c``d`", query=ODD, schedule=None, status=Status.SUSPENDED, message=ODD, sources=()
    )
    catalog.add(plain)
    catalog.add(odd)
    assert catalog.tables() == [odd, plain]
    assert catalog.find(odd.name) == odd


def test_names_are_compared_without_case(catalog: Catalog, make_table: Any) -> None:
    catalog.add(make_table("Sales.By_Region"))
    found = catalog.find(TableName.parse("SALES.by_region"))
    assert found is not None
    assert str(found.name) == "Sales.By_Region"
    with pytest.raises(NameTaken, match=r"sales\.by_region exists"):
        catalog.add(make_table("sales.by_region", id="another"))


def test_update_replaces_and_renames(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    catalog.add(make_table("taken"))
    renamed = replace(table, name=TableName(("t",)), schedule="1h")
    catalog.update(renamed)
    assert catalog.find(table.name) is None
    assert catalog.find(renamed.name) == renamed
    with pytest.raises(NameTaken):
        catalog.update(replace(table, name=TableName(("TAKEN",))))
    assert catalog.find(renamed.name) == renamed


def test_an_update_keeps_the_status(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    catalog.set_status(table.id, Status.SUSPENDED, ODD)
    catalog.update(replace(table, schedule="1h"))
    changed = replace(table, schedule="1h", status=Status.SUSPENDED, message=ODD)
    assert catalog.find(table.name) == changed
    catalog.set_status(table.id, Status.ACTIVE)
    assert catalog.find(table.name) == replace(table, schedule="1h")


def test_an_unknown_table_cannot_be_changed(catalog: Catalog, make_table: Any) -> None:
    with pytest.raises(NotAStreamTable):
        catalog.update(make_table())
    with pytest.raises(NotAStreamTable):
        catalog.set_status("unknown", Status.PAUSED)
    with pytest.raises(NotAStreamTable):
        catalog.set_frontier("unknown", at(1))
    catalog.remove("unknown")


def test_failures_in_a_row_are_counted(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    assert catalog.attempts() == {}

    def noted(action: Action, number: int) -> tuple[Any, ...]:
        catalog.note(attempt(number, action=action, reason="WHY"))
        last = catalog.attempts()[table.id]
        assert last.started_at == NOON + timedelta(seconds=number)
        return last.action, last.reason, last.failures

    assert noted(Action.FAILED, 1) == (Action.FAILED, "WHY", 1)
    assert noted(Action.SKIPPED, 2)[2] == 1, "a skip neither fails nor succeeds"
    assert noted(Action.UPSTREAM_FAILED, 3)[2] == 2
    assert noted(Action.NO_DATA, 4)[2] == 0
    assert noted(Action.SKIPPED, 5)[2] == 0
    catalog.remove(table.id)
    catalog.note(attempt(6))
    assert catalog.attempts() == {}


def test_missed_ticks_are_no_attempt(catalog: Catalog, make_table: Any) -> None:
    """Noted before the attempt that makes up for them, which may be killed: the table has to be due as before."""
    table = make_table()
    catalog.add(table)
    skipped = attempt(2, action=Action.SKIPPED, reason="TICKS_MISSED")
    catalog.note(skipped)
    assert catalog.attempts() == {}
    catalog.note(attempt(1))
    before = catalog.attempts()
    catalog.note(skipped)
    assert catalog.attempts() == before
    assert [refresh.reason for refresh in catalog.history()][::2] == ["TICKS_MISSED"] * 2


def test_a_removed_table_leaves_its_history(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    catalog.note(attempt(1, frontier=at(1)))
    catalog.remove(table.id)
    assert catalog.tables() == []
    assert catalog.frontier(table.id) is None
    assert noted(catalog) == [1]
    catalog.add(make_table(id="another"))


# Frontiers and history


def test_a_note_keeps_everything(catalog: Catalog, make_table: Any) -> None:
    catalog.add(make_table())
    full = attempt(
        7,
        rows_inserted=2**40,
        rows_deleted=3,
        version=12,
        frontier=at(7),
        detail=ODD,
        measures={"delta_rows": 4.0, "read_s": 0.125},
        since=at(6),
    )
    failed = attempt(8, action=Action.FAILED, error=ODD)
    catalog.note(full)
    catalog.note(failed)
    assert catalog.history() == [failed, full]
    assert catalog.frontier(full.table_id) == at(7)


def test_an_error_of_any_text_is_noted(catalog: Catalog) -> None:
    catalog.note(attempt(1, error="value \0 and \ud800 of t", action=Action.FAILED))
    error = catalog.history()[0].error
    assert error is not None
    assert error.startswith("value ")
    assert error.endswith(" of t")


def test_the_frontier_never_goes_back(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    for number, version in [(2, 20), (1, 10), (2, 21)]:
        catalog.note(attempt(number, frontier=at(number, version)))
    catalog.note(attempt(3, action=Action.FAILED))
    assert catalog.frontier(table.id) == at(2, 21)
    assert noted(catalog) == [3, 2, 1, 2]
    catalog.set_frontier(table.id, at(1))
    assert catalog.frontier(table.id) == at(1)


def test_a_raised_generation_starts_anew(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    catalog.note(attempt(9, frontier=at(9)))
    catalog.set_status(table.id, Status.PAUSED)
    assert catalog.frontier(table.id) == at(9)
    catalog.update(replace(table, generation=2))
    assert catalog.frontier(table.id) is None
    catalog.note(attempt(1, frontier=at(1)))
    assert catalog.frontier(table.id) == at(1)


def test_a_frontier_without_a_timestamp(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    frontier = Frontier(0, {})
    catalog.set_frontier(table.id, frontier)
    assert catalog.frontiers() == {table.id: frontier}


def test_a_note_of_a_dropped_table_is_history_only(catalog: Catalog) -> None:
    catalog.note(attempt(1, "dropped", frontier=at(1)))
    assert noted(catalog) == [1]
    assert catalog.frontiers() == {}


def test_history_is_newest_first_and_limited(catalog: Catalog) -> None:
    for number in range(5):
        catalog.note(attempt(number, "ab"[number % 2], started_at=NOON))
    assert noted(catalog) == [4, 3, 2, 1, 0]
    assert noted(catalog, limit=2) == [4, 3]
    assert noted(catalog, "a") == [4, 2, 0]
    assert noted(catalog, "a", 1) == [4]
    assert noted(catalog, "unknown") == []


def test_history_of_what_wrote(catalog: Catalog) -> None:
    for number, version in enumerate([7, None, 8, None, None]):
        catalog.note(attempt(number, "a", version=version))
    assert [past.number for past in catalog.history("a", 2, written=True)] == [2, 0]


def test_pruning_keeps_the_newest_of_each_table(catalog: Catalog, make_table: Any) -> None:
    catalog.add(make_table("a", id="a"))
    catalog.add(make_table("b", id="b"))
    for number, table_id in enumerate(["a", "dropped", "a", "a", "b"]):
        catalog.note(attempt(number, table_id))
    assert catalog.prune_history(2) == 2
    assert noted(catalog) == [4, 3, 2]
    assert catalog.prune_history(2) == 0


# The warehouse's tables, leases


def test_paths_are_kept_by_name(catalog: Catalog) -> None:
    orders, odd = TableName.parse("Sales.Orders"), TableName((ODD,))
    catalog.remember_path(orders, "/old")
    catalog.remember_path(TableName.parse("sales.orders"), "/new")
    catalog.remember_path(odd, "s3://bucket/o'dd")
    assert catalog.paths() == {"`sales`.`orders`": "/new", odd.key: "s3://bucket/o'dd"}
    catalog.forget_path(orders)
    catalog.forget_path(orders)
    assert list(catalog.paths()) == [odd.key]


def test_a_lease_has_one_holder_until_it_runs_out(catalog: Catalog) -> None:
    later = NOON + timedelta(seconds=10)
    assert catalog.take_lease("daemon", "a", 10, NOON)
    assert not catalog.take_lease("daemon", "b", 10, NOON)
    assert catalog.take_lease("other", "b", 10, NOON)
    assert catalog.lease_holder("daemon", NOON) == "a"
    assert catalog.lease_holder("daemon", later) is None
    assert catalog.take_lease("daemon", "b", 10, later)
    assert not catalog.renew_lease("daemon", "a", 10, later)
    assert catalog.lease_holder("daemon", later) == "b"


def test_a_holder_renews_and_releases(catalog: Catalog) -> None:
    later = NOON + timedelta(seconds=15)
    assert not catalog.renew_lease("daemon", "a", 10, NOON)
    assert catalog.take_lease("daemon", "a", 10, NOON)
    assert catalog.take_lease("daemon", "a", 10, NOON)
    assert catalog.renew_lease("daemon", "a", 20, NOON)
    assert not catalog.take_lease("daemon", "b", 10, later)
    catalog.release_lease("daemon", "b")
    assert catalog.lease_holder("daemon", later) == "a"
    catalog.release_lease("daemon", "a")
    assert catalog.take_lease("daemon", "b", 10, later)


def test_threads_share_a_registry(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: catalog.note(attempt(n, frontier=at(n))), range(100)))
    assert sorted(noted(catalog)) == list(range(100))
    assert catalog.frontier(table.id) == at(99)


def test_one_of_many_takes_the_lease(catalog: Catalog) -> None:
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda n: catalog.take_lease("l", f"{n}", 60, NOON), range(16)))
    assert sum(taken) == 1


def test_a_project_owns_tables_until_they_are_gone(catalog: Catalog, make_table: Any) -> None:
    table = make_table()
    catalog.add(table)
    assert catalog.owners() == {}
    catalog.own(table.id, "shop")
    catalog.own(table.id, "bazaar")
    assert catalog.owners() == {table.id: "bazaar"}
    catalog.remove(table.id)
    assert catalog.owners() == {}
