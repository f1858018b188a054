"""Fixtures of every test, and the Hypothesis profiles."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from helpers.postgres import postgres_server
from hypothesis import settings

from streamtables.testing.duck_lane import duck_database
from streamtables.testing.session import short_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    from pyspark.sql import SparkSession

os.environ["TZ"] = "UTC"
time.tzset()

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(scope="session")
def one_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The Spark of all tests, in a warehouse of its own."""
    session = short_session(tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()


@pytest.fixture(scope="module")
def spark(one_spark: SparkSession) -> SparkSession:
    """A session of that Spark whose temporary views and settings are the module's; mark its tests `spark`."""
    return one_spark.newSession()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of this session's own."""
    with postgres_server() as url:
        yield url


@pytest.fixture
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty DuckDB database in memory."""
    with duck_database() as connection:
        yield connection
