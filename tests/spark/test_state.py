"""What is kept beside a stream table: made when it is worth it, moved with each refresh, never trusted out of step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers.lake import Lake

from streamtables.model import Action
from streamtables.refresh import run
from streamtables.refresh.choose import Decision
from streamtables.spark import places, work
from streamtables.spark.state import StateTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

QUERIES = {
    "groups": "SELECT k, sum(v) AS s, count(*) AS n, avg(d) AS a, count(v) FILTER (WHERE d > 1) AS f,"
    " max(v) AS m FROM {0}.s GROUP BY k HAVING count(*) > 1 OR sum(v) > 3",
    "whole": "SELECT count(*) AS n, sum(d) AS s, count_if(v > 1) AS c, min(k) AS k, bool_and(v > 0) AS b FROM {0}.s",
    "chain": "SELECT k AS `a k`, v FROM {0}.s INTERSECT ALL SELECT k, v FROM {0}.t"
    " EXCEPT SELECT k, v FROM {0}.t WHERE id > 3",
    "first": "SELECT k, sum(v) AS s, max(d) AS m FROM {0}.s GROUP BY k ORDER BY s DESC, k LIMIT 2",
    "few": "SELECT DISTINCT k, v FROM {0}.s ORDER BY v, k DESC LIMIT 3",
    "shown": "SELECT upper(k) AS k FROM (SELECT DISTINCT k, v FROM {0}.s) WHERE v > 1 OR k IS NULL",
}


@pytest.fixture
def lake(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Lake:
    monkeypatch.setattr(work, "KEPT_ROWS", 0)
    made = Lake(spark, tmp_path, f"state_{abs(hash(request.node.name)) % 10**8}")
    made.sql(
        f"CREATE TABLE {made}.s (id INT, k STRING, v INT, d DECIMAL(10,2)) USING delta",
        f"INSERT INTO {made}.s VALUES (1, 'a', 1, 1.5), (2, 'a', NULL, 2.5), (3, NULL, 7, NULL), (4, 'b', 2, 0.1)",
        f"CREATE TABLE {made}.t (id INT, k STRING, v INT) USING delta",
        f"INSERT INTO {made}.t VALUES (1, 'a', 1), (2, 'a', NULL), (3, 'b', 5), (4, NULL, NULL)",
    )
    create(made, "groups")
    return made


def create(lake: Lake, name: str) -> None:
    query = QUERIES[name].format(lake)
    lake.st.create_stream_table(f"{lake}.{name}", query, refresh_mode="INCREMENTAL")


def state_of(lake: Lake, name: str) -> StateTable:
    state = lake.st.engine._states[lake.definition(name).app_id]
    assert isinstance(state, StateTable)
    return state


def is_in_step(lake: Lake, name: str) -> bool:
    frontier = lake.st.catalog.frontier(lake.definition(name).id)
    return state_of(lake, name).columns(frontier.positions) is not None


BATCHES = (
    (
        "INSERT INTO $.s VALUES (5, 'b', 5, 9.99), (6, NULL, NULL, NULL)",
        "DELETE FROM $.s WHERE id = 1",
    ),
    (
        "UPDATE $.s SET k = 'a', v = v + 1 WHERE k = 'b'",
        "DELETE FROM $.s WHERE id = 3",
        "UPDATE $.t SET id = 9 - id",
    ),
    ("DELETE FROM $.s",),
    ("INSERT INTO $.s VALUES (7, 'c', 1, 1), (8, 'a', NULL, 2)", "DELETE FROM $.t WHERE id = 8"),
)


def test_moved_with_each_refresh(lake: Lake) -> None:
    for name in QUERIES.keys() - {"groups"}:
        create(lake, name)
    for number, batch in enumerate(BATCHES):
        lake.sql(*(text.replace("$", str(lake)) for text in batch))
        for name in QUERIES:
            refresh = lake.st.refresh(f"{lake}.{name}")
            assert refresh.action.value == "INCREMENTAL"
            lake.check(name)
            assert is_in_step(lake, name)
            log = state_of(lake, name).log
            assert log is not None
            assert log.latest() == number, "made once, then moved"


def test_where_all_is_read_all_is_written(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many touched rows: what was kept is one file without hidden rows, or none."""
    monkeypatch.setattr(places, "MANY", 0)
    monkeypatch.setattr(places, "MANY_SHARE", 0)
    create(lake, "shown")
    for number, batch in enumerate(BATCHES):
        lake.sql(*(text.replace("$", str(lake)) for text in batch))
        lake.st.refresh(f"{lake}.shown")
        lake.check("shown")
        assert is_in_step(lake, "shown")
        log = state_of(lake, "shown").log
        assert log is not None
        files = log.files().values()
        assert not number or [file.get("deletionVector") for file in files] in ([], [None])


def test_moved_beside_a_probe(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in QUERIES.keys() - {"groups"}:
        create(lake, name)
    for number, batch in enumerate(BATCHES):
        lake.sql(*(text.replace("$", str(lake)) for text in batch))
        for name in QUERIES:
            with monkeypatch.context() as patch:
                if number == 2:
                    probe = Decision(Action.FULL, "COST_PROBE")
                    patch.setattr(run, "choose", lambda *_, found=probe, **__: found)
                refresh = lake.st.refresh(f"{lake}.{name}")
            assert refresh.reason == ("COST_PROBE" if number == 2 else "MODE_INCREMENTAL")
            lake.check(name)
            assert is_in_step(lake, name)
            log = state_of(lake, name).log
            assert log is not None
            assert log.latest() == number, "made once, then moved"


def test_stays_in_step_when_nothing_shows(lake: Lake) -> None:
    lake.sql(f"INSERT INTO {lake}.s VALUES (5, 'b', 5, 9.99)")
    lake.st.refresh_all()
    lake.sql(f"UPDATE {lake}.s SET id = id + 100", f"INSERT INTO {lake}.s VALUES (9, 'z', 1, 1)")
    refresh = lake.st.refresh(f"{lake}.groups")
    assert (refresh.rows_inserted, refresh.version) == (0, None), "HAVING hides the new group"
    assert is_in_step(lake, "groups")
    lake.sql(f"UPDATE {lake}.s SET id = id + 100")
    assert lake.st.refresh(f"{lake}.groups").reason == "NO_NET_CHANGE"
    assert is_in_step(lake, "groups")
    lake.sql(f"INSERT INTO {lake}.s VALUES (10, 'z', 1, 1)")
    lake.st.refresh(f"{lake}.groups")
    lake.check("groups")


def test_out_of_step_it_is_made_anew(lake: Lake) -> None:
    lake.sql(f"INSERT INTO {lake}.s VALUES (5, 'b', 5, 9.99)")
    lake.st.refresh_all()
    lake.sql(f"INSERT INTO {lake}.s VALUES (6, 'b', 5, 9.99)")

    class Killed(Exception):
        pass

    def kill(step: str) -> None:
        if step == "commit":
            raise Killed

    with pytest.raises(Killed):
        lake.opened(kill).refresh(f"{lake}.groups")
    assert not is_in_step(lake, "groups"), "it is ahead of the table"
    lake.st.refresh(f"{lake}.groups")
    lake.check("groups")
    assert is_in_step(lake, "groups")
    lake.sql(f"DELETE FROM {lake}.s WHERE id = 5")
    lake.st.refresh(f"{lake}.groups", full=True)
    lake.check("groups")
    assert is_in_step(lake, "groups")
    lake.sql(f"DELETE FROM {lake}.s WHERE id = 6")
    lake.st.refresh(f"{lake}.groups")
    lake.check("groups")


def test_explained_while_it_stands_and_taken_along_by_a_drop(lake: Lake) -> None:
    assert "once the sources are large" in str(lake.st.explain(f"{lake}.groups"))
    lake.sql(f"INSERT INTO {lake}.s VALUES (5, 'b', 5, 9.99)")
    lake.st.refresh(f"{lake}.groups")
    assert "the next refresh starts from it" in str(lake.st.explain(f"{lake}.groups"))
    log = state_of(lake, "groups").log
    assert log is not None
    assert log.folder is not None
    assert log.folder.exists()
    lake.st.drop_stream_table(f"{lake}.groups")
    assert not log.folder.exists()
