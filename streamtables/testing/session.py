"""A Spark session for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamtables

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def short_session(warehouse: Path | str, *, cores: int = 2, memory: str = "2g") -> SparkSession:
    """A session with Delta Lake that is to live for minutes."""
    return streamtables.create_session(
        str(warehouse),
        app_name="streamtables tests",
        master=f"local[{cores}]",
        # Several such sessions share few cores: no threads beside the tests' own for tidying up.
        config={"spark.driver.memory": memory, "spark.driver.extraJavaOptions": "-XX:+UseSerialGC"},
    )
