"""The registry's database: made, shared by processes, brought up to date, refused, away."""

from __future__ import annotations

import contextlib
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, inspect, update

from streamtables.catalog import migrations, schema
from streamtables.catalog.registry import Registry
from streamtables.errors import RegistryUnreachable
from streamtables.model import TableName

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

USE = """
import sys, time
from pathlib import Path
from streamtables.catalog.base import utc_now
from streamtables.catalog.registry import Registry
from streamtables.model import Action, Refresh
warehouse, url, go, first = sys.argv[1:]
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
registry = Registry.open(warehouse, url or None)
for number in range(int(first), int(first) + 50):
    registry.note(Refresh("t", "t", number, Action.NO_DATA, "R", utc_now(), 0.1))
    registry.history(limit=1)
registry.close()
"""


def test_a_registry_is_still_there_when_opened_again(
    tmp_path: Path, url: str | None, make_table: Any
) -> None:
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        registry.add(make_table())
    with contextlib.closing(Registry.open(str(tmp_path), url)) as registry:
        assert registry.tables() == [make_table()]
    assert (tmp_path / "_streamtables" / "registry.db").exists() == (url is None)


@pytest.mark.long
def test_processes_open_make_and_write_at_once(
    tmp_path: Path, url: str | None, start_process: Any
) -> None:
    go = tmp_path / "go"
    processes = [
        start_process(USE, str(tmp_path), url or "", str(go), str(first)) for first in (0, 50, 100)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    go.touch()
    for process in processes:
        assert process.communicate()[1] == ""
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        noted = [refresh.number for refresh in registry.history(limit=1000)]
    assert sorted(noted) == list(range(150))


def test_threads_open_and_make_at_once(tmp_path: Path, url: str | None) -> None:
    with ThreadPoolExecutor(6) as pool:
        for registry in pool.map(lambda _: Registry.open(tmp_path, url), range(6)):
            assert registry.tables() == []
            registry.close()


def test_the_tables_made_are_those_the_code_reads(tmp_path: Path, url: str | None) -> None:
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        made = inspect(registry._engine)
        for table in schema.METADATA.sorted_tables:
            columns = {
                column["name"]: column["nullable"] for column in made.get_columns(table.name)
            }
            key = made.get_pk_constraint(table.name)["constrained_columns"]
            assert list(columns) == list(table.columns.keys())
            assert key == list(table.primary_key.columns.keys())
            for column in table.columns:
                assert column.primary_key or columns[column.name] == column.nullable
        assert {*made.get_table_names()} == {*schema.METADATA.tables}


def add_color(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE paths ADD COLUMN color TEXT")


def test_an_older_registry_is_brought_up_to_date(
    tmp_path: Path, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        registry.remember_path(TableName(("t",)), "/t")
    monkeypatch.setattr(migrations, "MIGRATIONS", [*migrations.MIGRATIONS, add_color])
    for _ in range(2):
        with contextlib.closing(Registry.open(tmp_path, url)) as registry:
            assert registry.paths() == {"`t`": "/t"}
            assert inspect(registry._engine).get_columns("paths")[-1]["name"] == "color"


def test_a_step_that_fails_leaves_nothing(
    tmp_path: Path, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection) -> None:
        add_color(connection)
        raise ZeroDivisionError

    Registry.open(tmp_path, url).close()
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "MIGRATIONS", [*migrations.MIGRATIONS, fail])
        with pytest.raises(ZeroDivisionError):
            Registry.open(tmp_path, url)
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        assert inspect(registry._engine).get_columns("paths")[-1]["name"] == "path"


def test_a_newer_registry_is_refused(tmp_path: Path, url: str | None) -> None:
    with contextlib.closing(Registry.open(tmp_path, url)) as registry:
        newer = update(schema.registry).values(schema_version=99)
        registry._change(newer)
    with pytest.raises(RegistryUnreachable, match=r"version 99.*Install"):
        Registry.open(tmp_path, url)


def test_two_warehouses_do_not_share_a_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    for _ in range(2):
        Registry.open("s3://bucket/one/", url).close()
    with pytest.raises(RegistryUnreachable, match="s3://bucket/one, not of s3://bucket/two"):
        Registry.open("s3://bucket/two", url)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "cannot be read"),
        ("mysql://user:secret@host/db", r"cannot be kept at mysql://user:\*\*\*@host/db"),
        ("sqlite://", "cannot be kept"),
        ("postgresql://user:secret@localhost:1/db", r"user:\*\*\*@localhost:1/db does not answer"),
        ("postgres://user:secret@localhost:1", "does not answer"),
        ("sqlite:////dev/null/registry.db", "does not answer"),
    ],
)
def test_what_cannot_be_opened_is_told(tmp_path: Path, url: str, words: str) -> None:
    with pytest.raises(RegistryUnreachable, match=words) as error:
        Registry.open(tmp_path, url)
    assert "secret" not in str(error.value)


def test_an_object_store_needs_a_url() -> None:
    with pytest.raises(RegistryUnreachable, match="Give the URL of a PostgreSQL"):
        Registry.open("s3://bucket/warehouse")


def test_a_file_of_something_else_is_told(tmp_path: Path) -> None:
    file = tmp_path / "_streamtables" / "registry.db"
    file.parent.mkdir()
    file.write_text("something else " * 100)
    with pytest.raises(RegistryUnreachable, match="not a database"):
        Registry.open(tmp_path)
    assert file.read_text().startswith("something else")


def test_a_missing_driver_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(RegistryUnreachable, match="needs the package psycopg"):
        Registry.open(tmp_path, "postgresql://localhost/db")


def test_a_database_that_fails_later_is_told(tmp_path: Path) -> None:
    with contextlib.closing(Registry.open(tmp_path)) as registry:
        engine = create_engine(f"sqlite:///{tmp_path}/_streamtables/registry.db")
        with engine.begin() as connection:
            schema.paths.drop(connection)
        engine.dispose()
        with pytest.raises(RegistryUnreachable, match="no such table"):
            registry.paths()


def test_the_registry_without_its_database_needs_no_sqlalchemy(start_process: Any) -> None:
    modules = "from streamtables.catalog import base, lock, memory"
    text = f"{modules}; import sys; print('sqlalchemy' in sys.modules)"
    assert start_process(text).communicate() == ("False\n", "")
