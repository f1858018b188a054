"""Tables over tables: whatever is written meanwhile, each is its query over one moment of the base tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from helpers.interleaving import Actor
from helpers.lake import Lake

from streamtables.model import Action, Status
from streamtables.refresh.fan_out import FanOut
from streamtables.refresh.graph import in_order
from streamtables.testing.bags import assert_same, bag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# b and c read s; d joins them, and s itself, so that two moments would show in its rows.
QUERIES = {
    "b": "SELECT k, count(*) AS n FROM $.s GROUP BY k",
    "c": "SELECT k, sum(v) AS total FROM $.s GROUP BY k",
    "d": "SELECT b.k, b.n, c.total, s.v FROM $.b AS b JOIN $.c AS c ON b.k = c.k JOIN $.s AS s ON s.k = c.k",
}
TRUTH = (
    "WITH b AS (SELECT k, count(*) AS n FROM s GROUP BY k), c AS (SELECT k, sum(v) AS total FROM s GROUP BY k) "
    "SELECT b.k, b.n, c.total, s.v FROM b JOIN c ON b.k = c.k JOIN s ON s.k = c.k"
)


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("moments"), "diamond")
    lake.sql(
        f"CREATE TABLE {lake}.s (k INT, v INT) USING delta",
        f"INSERT INTO {lake}.s SELECT id % 3, id + 1 FROM range(9)",
    )
    return lake


@pytest.fixture
def diamond(lake: Lake) -> Iterator[Lake]:
    for name, query in QUERIES.items():
        lake.st.create_stream_table(f"{lake}.{name}", query.replace("$", str(lake)))
    yield lake
    for name in reversed(QUERIES):
        lake.opened().drop_stream_table(f"{lake}.{name}")


def write(lake: Lake) -> None:
    lake.sql(f"UPDATE {lake}.s SET v = v + 1, k = (k + 1) % 4")


def alone(observe: Callable[[str], None], lake: Lake) -> Any:
    """All tables, one at a time, so that an order of events can be told."""
    how = FanOut(lake.opened(observe).refresher)
    return {key: ended.refresh for key, ended in how.refresh(in_order).items()}


def check_at_one_moment(lake: Lake) -> int:
    """The table d is its query, written over s alone, at the version of s that it names; gives that version."""
    stamp = lake.stamps("d")[-1]
    version: int = stamp["bases"][f"`{lake}`.`s`"]["version"]
    assert stamp["positions"][f"`{lake}`.`s`"]["version"] == version
    session = lake.spark.newSession()
    session.sql(f"SELECT * FROM {lake}.s VERSION AS OF {version}").createOrReplaceTempView("s")
    full = bag(session.sql(TRUTH).collect())
    assert_same(lake.rows(f"SELECT * FROM {lake}.d"), full, f"d at version {version}")
    return version


def test_a_writer_between_the_arms_changes_neither(diamond: Lake) -> None:
    lake = diamond
    write(lake)
    moment = lake.version("s")
    actor = Actor(lambda observe: alone(observe, lake)).until("note")  # b is refreshed
    write(lake)
    rows = actor.finish()
    assert [row.action for row in rows.values()] == [Action.INCREMENTAL] * 3
    assert check_at_one_moment(lake) == moment < lake.version("s")
    assert {row.frontier.data_timestamp for row in rows.values()} == {
        lake.st.history(f"{lake}.b", 1)[0].frontier.data_timestamp  # type: ignore[union-attr]
    }
    lake.st.refresh_all()
    assert check_at_one_moment(lake) == lake.version("s")


def test_an_arm_that_went_ahead_takes_the_others_along(diamond: Lake) -> None:
    lake = diamond
    write(lake)
    actor = Actor(lambda observe: alone(observe, lake)).until("note")
    write(lake)
    lake.opened().refresh(f"{lake}.c")  # by another user, past the moment of the first
    actor.finish()
    assert check_at_one_moment(lake) == lake.version("s")
    lake.check("d")


def test_a_new_table_begins_at_one_moment(diamond: Lake) -> None:
    lake = diamond
    lake.opened().drop_stream_table(f"{lake}.d")
    write(lake)
    lake.opened().refresh(f"{lake}.b")
    write(lake)
    lake.opened().create_stream_table(f"{lake}.d", QUERIES["d"].replace("$", str(lake)))
    assert check_at_one_moment(lake) == lake.version("s")


def test_an_altered_table_begins_at_one_moment(diamond: Lake) -> None:
    lake = diamond
    query = QUERIES["d"].replace("$", str(lake))
    lake.opened().alter_stream_table(f"{lake}.d", query=query.replace(", s.v FROM", " FROM"))
    write(lake)
    lake.opened().refresh(f"{lake}.b")
    lake.opened().alter_stream_table(f"{lake}.d", query=query)
    assert check_at_one_moment(lake) == lake.version("s")


def test_arms_side_by_side_while_a_writer_writes(diamond: Lake) -> None:
    lake = diamond
    writer = Actor(lambda _: [write(lake) for _ in range(4)]).start()
    for _ in range(3):
        rows = lake.opened().refresh_all(parallel=2)
        assert {row.action for row in rows} <= {Action.INCREMENTAL, Action.NO_DATA}
        check_at_one_moment(lake)
    writer.finish()


def test_a_failure_keeps_back_those_below_and_no_others(diamond: Lake) -> None:
    lake = diamond
    lake.st.alter_stream_table(
        f"{lake}.c", query=f"SELECT k, sum(12 DIV v) AS total FROM {lake}.s GROUP BY k"
    )
    lake.sql(f"INSERT INTO {lake}.s VALUES (1, 0)")
    b, c, d = lake.opened().refresh_all()
    assert (b.action, c.action, d.action) == (
        Action.INCREMENTAL,
        Action.FAILED,
        Action.UPSTREAM_FAILED,
    )
    assert "DIVIDE_BY_ZERO" in str(c.error)
    assert d.detail == f"{lake}.c failed"
    assert lake.st.history(f"{lake}.d", 1)[0].action is Action.UPSTREAM_FAILED
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        lake.opened().refresh(f"{lake}.d")
    lake.sql(f"DELETE FROM {lake}.s WHERE v = 0")
    rows = lake.opened().refresh_all()  # what failed never took in the row that is gone again
    assert [row.action.value for row in rows] == ["INCREMENTAL", "NO_DATA", "INCREMENTAL"]
    lake.check("d")


def test_paused_and_suspended_tables_are_left_with_those_below(diamond: Lake) -> None:
    lake = diamond
    lake.st.pause(f"{lake}.b")
    write(lake)
    rows = {row.name.rpartition(".")[2]: row for row in lake.opened().refresh_all()}
    assert [(rows[name].action.value, rows[name].reason) for name in "bcd"] == [
        ("SKIPPED", "PAUSED"),
        ("INCREMENTAL", "CHANGE_SMALL"),
        ("SKIPPED", "UPSTREAM_PAUSED"),
    ]
    table = lake.definition("b")
    lake.st.catalog.set_status(table.id, Status.SUSPENDED, "the reason")
    rows = {row.name.rpartition(".")[2]: row for row in lake.opened().refresh_all()}
    assert (rows["b"].reason, rows["b"].detail) == ("SUSPENDED", "the reason")
    assert rows["d"].action is Action.UPSTREAM_FAILED
    assert lake.opened().refresh(f"{lake}.d").action is Action.INCREMENTAL  # by hand it is done
    done = lake.opened().reinitialize(f"{lake}.b")
    assert (done.action, done.reason) == (Action.REINITIALIZE, "REINITIALIZE_ASKED")
    assert lake.definition("b").status is Status.ACTIVE
