"""The file read without SQLAlchemy: it tells what the registry tells, and leaves to it what it does not know."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from streamtables.catalog.base import SCHEMA_VERSION, registry_file
from streamtables.catalog.migrations import MIGRATIONS
from streamtables.catalog.reader import SqliteReader
from streamtables.catalog.registry import Registry
from streamtables.errors import RegistryUnreachable
from streamtables.model import Action, Frontier, Position, Refresh, Status, TableName

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 3, 4, 12, 0, 0, 123456, tzinfo=timezone.utc)


@pytest.fixture
def filled(tmp_path: Path, make_table: Any) -> Path:
    """A warehouse whose registry has something of everything."""
    with closing(Registry.open(tmp_path)) as registry:
        first, second = make_table(), make_table("`odd one`.`ö`", schedule=None)
        for table in (first, second):
            registry.add(table)
        registry.set_status(second.id, Status.SUSPENDED, "it's 🐘")
        stands = Frontier(1, {"`sales`.`orders`": Position("id", 3, "h")}, NOON)
        done = Refresh(
            first.id, "sales.by_region", 1, Action.FULL, "FIRST_FILL", NOON, 0.5, 3, 1, 7,
            frontier=stands, detail="so", measures={"spark_jobs": 3.0},
        )  # fmt: skip
        registry.note(done)
        registry.note(replace(done, number=2, action=Action.FAILED, version=None, frontier=None))
        registry.own(first.id, "shop")
        registry.remember_path(first.name, "/somewhere")
        registry.take_lease("daemon", "me", 60, NOON)
    return tmp_path


def test_it_tells_what_the_registry_tells(filled: Path, make_table: Any) -> None:
    reader = SqliteReader.open(filled)
    assert reader is not None
    with closing(Registry.open(filled)) as registry, closing(reader):
        assert reader.tables() == registry.tables()
        assert len(reader.tables()) == 2
        for name in ("sales.BY_REGION", "nowhere"):
            assert reader.find(TableName.parse(name)) == registry.find(TableName.parse(name))
        assert reader.frontiers() == registry.frontiers()
        table_id = make_table().id
        assert reader.frontier(table_id) == registry.frontier(table_id)
        assert reader.frontier("none") is None
        for asked in ((), (table_id,), (table_id, 1), ("none",)):
            assert reader.history(*asked) == registry.history(*asked)
        assert [one.number for one in reader.history(written=True)] == [1]
        assert reader.attempts() == registry.attempts()
        assert reader.owners() == registry.owners() == {table_id: "shop"}
        assert reader.paths() == registry.paths()
        for moment in (NOON, NOON + timedelta(seconds=59), NOON + timedelta(seconds=61)):
            holder = registry.lease_holder("daemon", moment)
            assert reader.lease_holder("daemon", moment) == holder


def test_it_sees_what_is_written_while_it_is_open(filled: Path, make_table: Any) -> None:
    reader = SqliteReader.open(filled)
    assert reader is not None
    with closing(Registry.open(filled)) as registry, closing(reader):
        assert len(reader.tables()) == 2
        registry.add(make_table("sales.third"))
        assert len(reader.tables()) == 3


def test_what_it_does_not_know_it_leaves_to_the_registry(filled: Path, tmp_path: Path) -> None:
    assert len(MIGRATIONS) == SCHEMA_VERSION
    assert SqliteReader.open(tmp_path / "nothing") is None
    assert SqliteReader.open("s3://bucket/warehouse") is None
    file = registry_file(filled)
    assert file is not None
    for version in (SCHEMA_VERSION - 1, SCHEMA_VERSION + 1):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE registry SET schema_version = ?", (version,))
        assert SqliteReader.open(filled) is None
    broken = tmp_path / "broken"
    there = registry_file(broken)
    assert there is not None
    there.parent.mkdir(parents=True)
    there.write_text("this is no database, and it is long enough for SQLite to see that" * 20)
    assert SqliteReader.open(broken) is None


def test_a_table_that_is_gone_is_said_plainly(filled: Path) -> None:
    reader = SqliteReader.open(filled)
    file = registry_file(filled)
    assert reader is not None
    assert file is not None
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE paths")
    with closing(reader), pytest.raises(RegistryUnreachable, match="no such table"):
        reader.paths()


@pytest.mark.parametrize("verb", ["list", "status", "history", "lineage"])
def test_reading_verbs_import_neither_sqlalchemy_nor_spark(filled: Path, verb: str) -> None:
    name = ["sales.by_region"] if verb == "history" else []
    script = (
        "import sys; from streamtables.cli.app import app\n"
        f"try: app({[verb, *name, '-w', str(filled)]!r})\nexcept SystemExit as left: assert not left.code\n"
        "assert not {'pyspark', 'py4j', 'sqlalchemy', 'rich'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
