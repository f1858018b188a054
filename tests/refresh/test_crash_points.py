"""Killed at any point, the next call is right: nothing lost, nothing doubled, no name blocked.

| points of a refresh                     | what is durable there                                |
|-----------------------------------------|------------------------------------------------------|
| lock, recover, pin, open                | nothing new                                          |
| read, derive, commit                    | nothing new; the change is computed                  |
| files (made by hand)                    | data files that no commit names                      |
| committed                               | the commit; the registry does not know               |
| checksum (made by hand)                 | the commit without the checksum that Delta adds      |
| note, catalog.note done, unlock         | the commit, then the registry's note of it           |
| set_frontier, set_frontier done         | a second death, while the first one is recovered     |

Each point has one kind of batch and one table; `CRASH_POINTS=all` runs every batch on every table at
every point. The real kill is `test_killed_in_earnest`:
one process with eleven verbs under way dies of SIGKILL.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from itertools import product
from typing import TYPE_CHECKING

import pytest
from helpers import crash
from helpers.crash import Killed, dies_at, watched
from helpers.lake import Lake
from helpers.process import environment

from streamtables.errors import NameTaken, NotAStreamTable
from streamtables.refresh.run import CREATE_STEPS, STEPS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

QUERIES = {
    "agg": "SELECT k, count(*) AS n, sum(v) AS total, min(v) AS least FROM $.l GROUP BY k",
    "joined": "SELECT l.id, l.v, r.name FROM $.l AS l JOIN $.r AS r ON l.k = r.k",
    "bag": "SELECT k, v FROM $.l UNION ALL SELECT k, 0 AS v FROM $.r",
}
BATCHES = {
    "insert": ("INSERT INTO $.l VALUES ({0}, 1, 5), ({0}, NULL, 5)", "INSERT INTO $.r VALUES (1, 'b{0}')"),
    "update": ("UPDATE $.l SET v = v + {0}, k = k % 3 + 1", "UPDATE $.r SET name = 'u{0}' WHERE k = 2"),
    "delete": (
        "DELETE FROM $.l WHERE id = {0} - 1000 OR id = 100 + ({0} - 1002) div 3",  # of three equal rows, one
        "DELETE FROM $.r WHERE name = concat('b', {0} - 2)",
    ),
}  # fmt: skip
BY_HAND = ("files", "checksum")
POINTS = (
    *STEPS,
    *BY_HAND,
    "catalog.note done",
    "catalog.set_frontier",
    "catalog.set_frontier done",
)
IS_ALL = os.environ.get("CRASH_POINTS") == "all"
if IS_ALL:
    ROUNDS = [(point, batch, list(QUERIES)) for point, batch in product(POINTS, BATCHES)]
else:
    ROUNDS = [
        (point, list(BATCHES)[i % 3], [list(QUERIES)[(i + i // 3) % 3]])
        for i, point in enumerate(POINTS)
    ]


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, tmp_path_factory.mktemp("crash"), "crash")
    lake.sql(
        f"CREATE TABLE {lake}.l (id INT, k INT, v INT) USING delta",
        f"CREATE TABLE {lake}.r (k INT, name STRING) USING delta",
        f"INSERT INTO {lake}.l SELECT id, id % 4, id % 5 FROM range(60)",
        f"INSERT INTO {lake}.l VALUES (100, 1, 7), (101, 1, 7), (102, 1, 7)",
        f"INSERT INTO {lake}.r VALUES (1, 'a'), (2, 'b'), (2, 'b'), (3, 'c')",
    )
    for name, query in QUERIES.items():
        lake.st.create_stream_table(f"{lake}.{name}", query.replace("$", lake.schema))
    return lake


def killed(lake: Lake, name: str, point: str) -> None:
    """Refresh until the point is reached, and leave behind what a death there leaves."""
    at = {"files": "commit", "checksum": "committed"}.get(point, point)
    is_second = at.startswith("catalog.set_frontier")
    for deadly in ("committed", at) if is_second else (at,):
        with pytest.raises(Killed):
            watched(lake.opened(), dies_at(deadly)).refresh(f"{lake}.{name}")
    folder = lake.path(name)
    if point == "files":
        some = next(folder.glob("*.parquet"))
        shutil.copy(some, some.with_name(f"part-00000-left-behind-{lake.version(name)}.parquet"))
    if point == "checksum":
        (folder / "_delta_log" / f"{lake.version(name):020}.crc").unlink()


def check(lake: Lake, name: str) -> None:
    """The table is its query; each refresh is in its log once; the registry says what the log says."""
    lake.check(name)
    table = lake.definition(name)
    numbers = [stamp["number"] for stamp in lake.stamps(name)]
    assert numbers == list(range(1, len(numbers) + 1)), (
        "a refresh is missing or was committed twice"
    )
    frontier = lake.st.catalog.frontier(table.id)
    last = lake.stamps(name)[-1]
    assert frontier is not None
    assert frontier.number == last["number"]
    versions = {key: position.version for key, position in frontier.positions.items()}
    assert versions == {key: position["version"] for key, position in last["positions"].items()}
    assert versions == {
        source.name.key: lake.version(source.name.parts[-1]) for source in table.sources
    }


def test_there_are_enough_points() -> None:
    assert set(STEPS) <= set(POINTS)
    assert len(POINTS) >= 12


@pytest.mark.parametrize(("point", "batch", "names"), ROUNDS)
def test_killed_refresh(lake: Lake, point: str, batch: str, names: list[str]) -> None:
    number = 1000 + ROUNDS.index((point, batch, names))
    lake.sql(*(text.replace("$", lake.schema).format(number) for text in BATCHES[batch]))
    for name in names:
        before = lake.version(name)
        killed(lake, name, point)
        after = lake.version(name)
        refresh = lake.opened().refresh(f"{lake}.{name}")
        assert refresh.action == ("INCREMENTAL" if after == before else "NO_DATA")
        assert lake.version(name) == before + 1, "one change, one commit"
        check(lake, name)


@pytest.mark.parametrize("point", [*CREATE_STEPS, "engine.create"] if IS_ALL else CREATE_STEPS[1:4])
def test_killed_create(lake: Lake, point: str) -> None:
    name, query = f"{lake}.made", QUERIES["agg"].replace("$", lake.schema)
    with pytest.raises(Killed):
        watched(lake.opened(), dies_at(point)).create_stream_table(name, query)
    st = lake.opened()
    try:
        st.create_stream_table(name, query)
    except NameTaken:
        assert [str(table.name) for table in st.list()].count(name) == 1, "it was made after all"
    st.refresh(name)
    check(lake, "made")
    st.drop_stream_table(name)
    assert not lake.path("made").exists()


def test_files_without_a_log_are_named_and_left_to_their_owner(lake: Lake) -> None:
    shutil.copytree(lake.path("agg"), lake.path("half"))
    shutil.rmtree(lake.path("half") / "_delta_log")
    query = QUERIES["bag"].replace("$", lake.schema)
    with pytest.raises(NameTaken, match=r"crash\.db/half.* remove the folder"):
        lake.st.create_stream_table(f"{lake}.half", query)
    shutil.rmtree(lake.path("half"))
    lake.st.create_stream_table(f"{lake}.half", query)
    lake.check("half")
    lake.st.drop_stream_table(f"{lake}.half")


def test_killed_create_then_another_query(lake: Lake) -> None:
    name, other = f"{lake}.left", f"SELECT v FROM {lake}.l"
    with pytest.raises(Killed):
        watched(lake.opened(), dies_at("create:register")).create_stream_table(
            name, QUERIES["agg"].replace("$", lake.schema)
        )
    st = lake.opened()
    with pytest.raises(NameTaken, match="rebuild_registry"):
        st.create_stream_table(name, other)
    assert name in st.rebuild_registry()
    st.drop_stream_table(name)
    st.create_stream_table(name, other)
    lake.check("left")
    st.drop_stream_table(name)


ALTER_POINTS = (
    "engine.replace", "engine.replace done", "engine.describe", "engine.describe done",
    "catalog.update", "catalog.update done", "lock", "commit", "committed", "note", "unlock",
)  # fmt: skip


if not IS_ALL:
    ALTER_POINTS = (
        "engine.replace done",
        "engine.describe done",
        "catalog.update done",
        "committed",
    )


@pytest.mark.parametrize("is_same_shape", [True, False], ids=["same columns", "other columns"])
def test_killed_alter(lake: Lake, is_same_shape: bool) -> None:
    old = f"SELECT id, v FROM {lake}.l"
    new = f"{old} WHERE v > 2" if is_same_shape else f"SELECT id, v, k FROM {lake}.l"
    other = f"SELECT id FROM {lake}.l"
    for point in ALTER_POINTS:
        others = (
            ("engine.replace",)
            if is_same_shape
            else ("engine.describe", "commit", "lock", "unlock")
        )
        if point.startswith(others):
            continue
        name = f"{lake}.altered"
        lake.st.create_stream_table(name, old)
        with pytest.raises(Killed):
            watched(lake.opened(), dies_at(point)).alter_stream_table(name, query=new)
        lake.sql(f"INSERT INTO {lake}.l VALUES (500, 1, 5)")
        st = lake.opened()
        st.refresh(name)
        assert lake.definition("altered").query in (old, new), point
        lake.check("altered")
        assert st.refresh(name).reason == "NO_CHANGE", point
        st.alter_stream_table(name, query=other)
        lake.check("altered")
        table = lake.definition("altered")
        assert (table.query, st.engine.definition(table.name)) == (other, table)
        st.drop_stream_table(name)


DROP_POINTS = ("engine.drop done", "catalog.forget_path done", "engine.drop", "catalog.remove done")


@pytest.mark.parametrize("point", DROP_POINTS if IS_ALL else DROP_POINTS[:2])
def test_killed_drop(lake: Lake, point: str) -> None:
    name, query = f"{lake}.dropped", f"SELECT v FROM {lake}.l"
    lake.st.create_stream_table(name, query)
    with pytest.raises(Killed):
        watched(lake.opened(), dies_at(point)).drop_stream_table(name)
    st = lake.opened()
    try:
        st.drop_stream_table(name)
    except NotAStreamTable:
        assert point == "catalog.remove done"
    st.create_stream_table(name, query)
    lake.check("dropped")
    st.drop_stream_table(name)


@pytest.mark.slow
def test_killed_in_earnest(lake: Lake) -> None:
    """One process, each verb at another point, SIGKILL; then another process carries on."""
    new, other = QUERIES["agg"].replace("$", lake.schema), f"SELECT id, k FROM {lake}.l"
    kinds = {"agg": "agg", "joined": "joined", "bag": "bag", "altered": "bag", "dropped": "agg"}
    names = [name for _, (name, *_), _ in crash.SCENES.values()]
    for name in names:
        if kind := kinds.get(name.split("_")[0]):
            lake.st.create_stream_table(f"{lake}.{name}", QUERIES[kind].replace("$", lake.schema))
    lake.sql(*(texts[0].replace("$", lake.schema).format(2000) for texts in BATCHES.values()))
    child = subprocess.run(
        [sys.executable, crash.__file__, str(lake.folder), lake.schema, new, other],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert (lake.folder / "reached").exists(), child.stderr[-3000:]
    assert child.returncode == -signal.SIGKILL
    st = lake.opened()
    for name in names:
        full_name = f"{lake}.{name}"
        if name.startswith("new"):
            try:
                st.create_stream_table(full_name, new)
            except NameTaken:
                assert name == "new_2", "only that one was registered"
        elif name.startswith("dropped"):
            st.drop_stream_table(full_name)
            assert not lake.path(name).exists()
            continue
        before = lake.version(name)
        refresh = st.refresh(full_name)
        assert lake.version(name) - before == (refresh.version is not None)
        if not name.startswith("altered"):
            check(lake, name)
            assert lake.version(name) == (0 if name.startswith("new") else 1)
        else:
            lake.check(name)
            st.alter_stream_table(full_name, query=other)
            lake.check(name)
        st.drop_stream_table(full_name)
