"""One holder at a time: between threads, between processes, after a death."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from streamtables.catalog.base import utc_now
from streamtables.catalog.lock import file_lock, lease_lock, table_lock, this_process
from streamtables.catalog.memory import MemoryCatalog
from streamtables.errors import Busy, RegistryUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from streamtables.catalog.base import Catalog

HOLD = """
import sys, time
from pathlib import Path
from streamtables.catalog.lock import file_lock
with file_lock(Path(sys.argv[1]), "t", 10):
    print("held", flush=True)
    time.sleep(60)
"""
COUNT = """
import sys
from pathlib import Path
from streamtables.catalog.lock import file_lock
counter = Path(sys.argv[2])
for _ in range(20):
    with file_lock(Path(sys.argv[1]), "t", 60):
        counter.write_text(str(int(counter.read_text()) + 1))
"""


def count_in_threads(lock: Callable[[], AbstractContextManager[Any]]) -> int:
    """Adds one 40 times by reading, pausing, writing: only a lock makes the sum 40."""
    count = 0

    def add() -> None:
        nonlocal count
        for _ in range(10):
            with lock():
                seen = count
                time.sleep(0.0005)
                count = seen + 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count


def test_threads_of_one_process_take_turns(tmp_path: Path) -> None:
    assert count_in_threads(lambda: file_lock(tmp_path / "locks" / "t", "t", 30)) == 40


def test_processes_take_turns(tmp_path: Path, start_process: Any) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [start_process(COUNT, str(tmp_path / "t"), str(counter)) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert counter.read_text() == "60"


def test_a_held_lock_names_its_holder(tmp_path: Path) -> None:
    with (
        file_lock(tmp_path / "t", "sales.by_region", 0),
        pytest.raises(Busy) as error,
        file_lock(tmp_path / "t", "sales.by_region", 0.05),
    ):
        pass
    assert f"sales.by_region is held by {this_process()}" in str(error.value)


def test_a_killed_holder_lets_go(tmp_path: Path, start_process: Any) -> None:
    holder = start_process(HOLD, str(tmp_path / "t"))
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Busy, match=f"{holder.pid}@"), file_lock(tmp_path / "t", "t", 0):
        pass
    holder.kill()
    with file_lock(tmp_path / "t", "t", 10) as is_held:
        assert is_held()


def test_a_lock_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), file_lock(tmp_path / "t", "t", 0):
        raise KeyError
    with file_lock(tmp_path / "t", "t", 0):
        assert (tmp_path / "t").read_text() == this_process()
    assert (tmp_path / "t").read_text() == ""


def test_a_table_in_a_local_warehouse_is_locked_by_a_file(tmp_path: Path, make_table: Any) -> None:
    table, other = make_table(id="a"), make_table("other", id="b")
    catalog = MemoryCatalog()
    with table_lock(catalog, tmp_path, table), table_lock(catalog, tmp_path, other, 0):
        assert (tmp_path / "_streamtables" / "locks" / "a.lock").exists()
        with pytest.raises(Busy), table_lock(catalog, f"file://{tmp_path}", table, 0):
            pass


def test_a_table_in_an_object_store_is_locked_by_a_lease(catalog: Catalog, make_table: Any) -> None:
    table = make_table(id="a")
    with table_lock(catalog, "s3://bucket/warehouse", table) as is_held:
        assert is_held()
        with (
            pytest.raises(Busy, match=f"sales.by_region is held by {this_process()} and"),
            table_lock(catalog, "s3://bucket/warehouse", table, 0),
        ):
            pass
    assert catalog.lease_holder("table:a", utc_now()) is None


def test_threads_take_turns_by_leases() -> None:
    catalog = MemoryCatalog()
    assert count_in_threads(lambda: lease_lock(catalog, "t", "t", 60)) == 40


def test_a_lease_is_renewed_while_it_is_held() -> None:
    catalog = MemoryCatalog()
    with lease_lock(catalog, "t", "t", 0, lease_s=0.3) as is_held:
        time.sleep(0.6)
        assert is_held()
        assert catalog.lease_holder("t", utc_now())


def test_a_lost_lease_shows() -> None:
    catalog = MemoryCatalog()
    with lease_lock(catalog, "t", "t", 0, lease_s=0.15) as is_held:
        assert catalog.take_lease("t", "thief", 60, utc_now() + timedelta(hours=1))
        _until(lambda: not is_held())
    assert catalog.lease_holder("t", utc_now()) == "thief"


def test_a_lease_is_lost_when_the_registry_stays_away() -> None:
    class Away(MemoryCatalog):
        def renew_lease(self, *_: object) -> bool:
            raise RegistryUnreachable("away")

        def release_lease(self, *_: object) -> None:
            raise RegistryUnreachable("away")

    with lease_lock(Away(), "t", "t", 0, lease_s=0.2) as is_held:
        assert is_held()
        _until(lambda: not is_held())


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)
