"""Opening the registry's database: where it is, how it is set up, what to say when it is away."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, create_engine, event, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from streamtables.catalog.base import local_folder, registry_file
from streamtables.catalog.lock import file_lock
from streamtables.catalog.migrations import migrate
from streamtables.catalog.schema import WRITES, registry
from streamtables.errors import RegistryUnreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

_WAIT_S = 30.0


def connect(warehouse: Path | str, url: str | None) -> Engine:
    """The database of a warehouse's registry, made or brought up to date where needed."""
    address = _default(warehouse) if url is None else _given(url)
    is_file = address.get_backend_name() == "sqlite"
    with answering(address):
        engine = _sqlite(address) if is_file else _postgresql(address)
        # Two that go over to WAL at once fail now and then, whatever the time-out.
        file = f"{address.database}"
        alone = file_lock(Path(f"{file}.lock"), f"The registry {file}", _WAIT_S)
        try:
            with alone if is_file else nullcontext():
                migrate(engine)
            if url is not None:
                _claim(engine, warehouse)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextmanager
def answering(address: URL) -> Iterator[None]:
    """Report a database that does not answer as `RegistryUnreachable`."""
    try:
        yield
    except IntegrityError:
        raise
    except (DBAPIError, PoolTimeout, OSError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise RegistryUnreachable(
            f"The registry at {_shown(address)} does not answer: {str(cause).strip()}",
            hint="Check that the database is there and may be written.",
        ) from error


def _default(warehouse: Path | str) -> URL:
    file = registry_file(warehouse)
    if file is None:
        raise RegistryUnreachable(
            f"The warehouse {warehouse} is no local folder, so SQLite cannot keep its registry",
            hint="Give the URL of a PostgreSQL database: postgresql://user@host/database.",
        )
    return URL.create("sqlite", database=str(file))


def _given(url: str) -> URL:
    try:
        # SQLAlchemy knows no "postgres://", which libpq and most clouds write.
        address = make_url(url.replace("postgres://", "postgresql://", 1))
    except ArgumentError as error:
        raise RegistryUnreachable(
            "The registry's URL cannot be read",
            hint="Write postgresql://user:password@host/database, or leave it out for SQLite.",
        ) from error
    backend = address.get_backend_name()
    if backend == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and address.database not in {None, "", ":memory:"}:
        return address
    raise RegistryUnreachable(
        f"The registry cannot be kept at {_shown(address)}",
        hint="Give a PostgreSQL database or an SQLite file.",
    )


def _sqlite(address: URL) -> Engine:
    # The driver's own BEGIN comes too late for a writer, so it is turned off and ours is sent.
    driver = {"timeout": _WAIT_S, "isolation_level": None}
    engine = create_engine(address, connect_args=driver)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # Without a sync per commit: a power cut may lose the last notes, which the tables still hold.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    # A writer that begins as a reader fails at once when another has written meanwhile.
    is_writer = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")


def _postgresql(address: URL) -> Engine:
    defaults = {"connect_timeout": "10", "application_name": "streamtables"}
    try:
        chosen = address.set(query={**defaults, **address.query})
        return create_engine(chosen, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise RegistryUnreachable(
            f"The registry at {_shown(address)} needs the package psycopg",
            hint="Install it: pip install 'streamtables[postgres]'.",
        ) from error


def _claim(engine: Engine, warehouse: Path | str) -> None:
    """Two warehouses in one database would refresh each other's tables."""
    own = str(local_folder(warehouse) or str(warehouse).rstrip("/"))
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        free = update(registry).where(registry.c.warehouse.is_(None))
        connection.execute(free.values(warehouse=own))
        kept = connection.scalars(select(registry.c.warehouse)).one()
    if kept != own:
        raise RegistryUnreachable(
            f"The registry at {_shown(engine.url)} is that of the warehouse {kept}, not of {own}",
            hint="Give each warehouse a database of its own.",
        )


def _shown(address: URL) -> str:
    return address.set(query={}).render_as_string()
