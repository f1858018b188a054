"""A warehouse to throw away."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from streamtables.api import StreamTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


@contextmanager
def scratch(spark: SparkSession, warehouse: Path) -> Iterator[StreamTables]:
    """Stream tables in an empty warehouse; the session's current schema lies in it, and is dropped afterwards."""
    session = spark.newSession()
    schema = f"scratch_{uuid4().hex[:8]}"
    session.sql(f"CREATE SCHEMA {schema} LOCATION '{warehouse}/{schema}.db'")
    session.sql(f"USE {schema}")
    st = StreamTables(session, str(warehouse))
    try:
        yield st
    finally:
        st.close()
        session.sql(f"DROP SCHEMA {schema} CASCADE")
