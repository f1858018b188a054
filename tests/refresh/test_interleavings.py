"""Orders of events among two refreshers, a writer, and those who optimize, alter, pause and drop.

Each line is one order: `a` and `b` are refreshers with StreamTables objects of their own; what ends
with a word ends with that reason or error. After each line the table is its query at the versions
that its last commit names, each refresh number is in its log once, and a last refresh brings it to
its query as the sources are now.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from helpers.crash import watched
from helpers.interleaving import Actor
from helpers.lake import Lake
from helpers.sample import sampled

from streamtables.catalog.lock import table_lock, this_process
from streamtables.errors import Busy, NameTaken, StreamTablesError
from streamtables.model import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

WITH_LOCK = """
write | a stops at read   | write | a ends with CHANGE_SMALL | b ends with CHANGE_SMALL
write | a stops at derive | write | a ends with CHANGE_SMALL | b ends with CHANGE_SMALL
write | a stops at commit | write | a ends with CHANGE_SMALL | b ends with CHANGE_SMALL
write | a stops at note   | write | a ends with CHANGE_SMALL | b ends with CHANGE_SMALL
write | a stops at commit | b starts | a ends with CHANGE_SMALL | b ends with NO_CHANGE
write | a stops at note   | b starts | write | a ends with CHANGE_SMALL | b ends with CHANGE_SMALL
write | a stops at read   | optimize | a ends with CHANGE_SMALL | b ends with NO_CHANGE
write | a stops at commit | optimize | a ends with CHANGE_SMALL | b ends with NO_CHANGE
write | a stops at commit | pause | a ends with CHANGE_SMALL | is paused | resume
write | a stops at lock   | alter | a ends with NO_CHANGE | is altered
write | a stops at lock   | drop | a ends with NotAStreamTable | is gone
write | a stops at commit | b gives up with Busy | a ends with CHANGE_SMALL
"""

WITHOUT_LOCK = """
write | a stops at commit | b stops at commit | a ends with CHANGE_SMALL | b ends with ALREADY_REFRESHED
write | a stops at commit | b stops at commit | b ends with CHANGE_SMALL | a ends with ALREADY_REFRESHED
write | a stops at read   | b ends with CHANGE_SMALL | a ends without a commit
write | a stops at pin    | write | b ends with CHANGE_SMALL | a ends without a commit
write | a stops at commit | write | b ends with CHANGE_SMALL | a ends with ALREADY_REFRESHED
write | a stops at commit | b ends with CHANGE_SMALL | write | b ends with CHANGE_SMALL | a ends with ALREADY_REFRESHED
write | a stops at note   | write | b ends with CHANGE_SMALL | a ends with CHANGE_SMALL
write | a stops at lock   | b stops at commit | a ends with CHANGE_SMALL | b ends with ALREADY_REFRESHED
"""


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("orders"), "interleaved")
    lake.sql(f"CREATE TABLE {lake}.s (k INT, v INT) USING delta")
    lake.sql(f"INSERT INTO {lake}.s SELECT id % 3, id FROM range(9)")
    return lake


class Stage:
    """The table that a line is about, and those who act on it."""

    def __init__(self, lake: Lake, *, is_locked: bool) -> None:
        self.lake, self.is_locked = lake, is_locked
        self.name = f"{lake}.t"
        self.actors: dict[str, Actor] = {}
        self.query = f"SELECT k, count(*) AS n, sum(v) AS total FROM {lake}.s GROUP BY k"
        self.other = f"SELECT k, count(*) AS n, max(v) AS total FROM {lake}.s GROUP BY k"
        lake.st.create_stream_table(self.name, self.query)

    def do(self, event: str) -> None:
        who, *words = event.split()
        match words:
            case ["stops", "at", point]:
                self.actor(who).until(point)
            case ["starts"]:
                self.actor(who).start()
            case ["gives", "up", "with", "Busy"]:
                with pytest.raises(Busy, match=f"held by {this_process()}"):
                    self.refresh(lambda _: None, timeout_s=0.01)
            case ["ends", "without", "a", "commit"]:
                assert self.actors.pop(who).finish().version is None
            case ["ends", "with", word]:
                assert ending(self.actor(who).finish) == word, event
                del self.actors[who]
            case _:
                getattr(self, event.replace(" ", "_"))()

    def actor(self, who: str) -> Actor:
        return self.actors.setdefault(who, Actor(self.refresh))

    def refresh(self, observe: Callable[[str], None], timeout_s: float = 60.0) -> Any:
        st = self.lake.opened(observe)
        lock: Any = partial(table_lock, st.catalog, st.warehouse, timeout_s=timeout_s)
        lock = lock if self.is_locked else lambda _: nullcontext()
        st.refresher = replace(st.refresher, lock=lock)
        return st.refresh(self.name)

    def write(self) -> None:
        s = f"{self.lake}.s"
        self.lake.sql(f"UPDATE {s} SET v = v + 1, k = (k + 1) % 4")

    def optimize(self) -> None:
        self.lake.sql(f"OPTIMIZE {self.name}")

    def pause(self) -> None:
        self.lake.opened().pause(self.name)

    def is_paused(self) -> None:
        assert self.lake.definition("t").status is Status.PAUSED

    def resume(self) -> None:
        self.lake.opened().resume(self.name)

    def alter(self) -> None:
        self.lake.opened().alter_stream_table(self.name, query=self.other)

    def is_altered(self) -> None:
        assert self.lake.definition("t").query == self.other
        self.lake.check("t")

    def drop(self) -> None:
        self.lake.opened().drop_stream_table(self.name)

    def is_gone(self) -> None:
        assert not self.lake.path("t").exists()
        self.lake.st.create_stream_table(self.name, self.query)


def ending(action: Callable[[], Any]) -> str:
    try:
        return str(action().reason)
    except StreamTablesError as error:
        return type(error).__name__


@pytest.mark.parametrize("line", sampled(WITH_LOCK.strip().splitlines(), 3))
def test_with_the_lock(lake: Lake, line: str) -> None:
    play(Stage(lake, is_locked=True), line)


@pytest.mark.parametrize("line", sampled(WITHOUT_LOCK.strip().splitlines(), 3))
def test_the_transaction_alone_keeps_two_refreshers_apart(lake: Lake, line: str) -> None:
    play(Stage(lake, is_locked=False), line)


def play(stage: Stage, line: str) -> None:
    lake = stage.lake
    try:
        for event in line.split("|"):
            stage.do(event.strip())
        lake.check_at_frontier("t")
        app = lake.definition("t").app_id
        seen = [
            c["txn"]["version"] for c in lake.commits("t") if c.get("txn", {}).get("appId") == app
        ]
        assert seen == list(range(1, len(seen) + 1)), "a refresh is missing or was committed twice"
        stage.is_locked = True
        stage.refresh(lambda _: None)
        lake.check("t")
    finally:
        for actor in stage.actors.values():
            actor.start()
        lake.opened().drop_stream_table(stage.name)


def test_two_makers_of_one_name(lake: Lake) -> None:
    query = f"SELECT k FROM {lake}.s"

    def make(observe: Callable[[str], None]) -> Any:
        return lake.opened(observe).create_stream_table(f"{lake}.made", query)

    first, second = Actor(make).until("create:register"), Actor(make).start()
    assert first.finish().reason == "FIRST_FILL"
    with pytest.raises(NameTaken):
        second.finish()
    lake.check("made")
    assert lake.version("made") == 0


def test_a_reader_of_a_stream_table_keeps_the_version_it_pinned(lake: Lake) -> None:
    lower, upper = f"{lake}.lower", f"{lake}.upper"
    lake.st.create_stream_table(lower, f"SELECT k, v FROM {lake}.s WHERE v > 2")
    lake.st.create_stream_table(upper, f"SELECT k, sum(v) AS total FROM {lower} GROUP BY k")
    write = f"INSERT INTO {lake}.s VALUES (1, 100), (1, 100)"
    lake.sql(write)
    lake.st.refresh(lower)
    reader = Actor(lambda observe: watched(lake.opened(), observe).refresh(upper))
    reader.until("work.changed_rows")
    lake.sql(write)
    assert lake.opened().refresh(lower).action == "INCREMENTAL"
    assert reader.finish().action == "INCREMENTAL"
    lake.check_at_frontier("upper")
    lake.st.refresh(upper)
    lake.check("upper")
