"""A schema of one's own in a warehouse of one's own, and the oracle: a stream table against its query."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import streamtables
from streamtables.testing.bags import assert_same, bag

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from streamtables.model import StreamTable


class Lake:
    """`str(lake)` is the schema, for use in SQL; its tables lie in the folder as Spark lays them out."""

    def __init__(self, spark: SparkSession, folder: Path, schema: str) -> None:
        self.spark = spark
        self.folder = folder
        self.schema = schema
        spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema} LOCATION '{folder}/{schema}.db'")
        self.st = self.opened()

    def __str__(self) -> str:
        return self.schema

    def opened(self, observe: Callable[[str], None] = lambda _: None) -> streamtables.StreamTables:
        """Another user of the same warehouse, who knows nothing of what went before."""
        return streamtables.StreamTables(self.spark, str(self.folder), observe=observe)

    def sql(self, *statements: str) -> None:
        """Run statements for what they do."""
        for statement in statements:
            self.spark.sql(statement)

    def rows(self, query: str) -> Counter[Any]:
        """The answer of a query as a bag."""
        return bag(self.spark.sql(query).collect())

    def definition(self, name: str) -> StreamTable:
        """What the registry holds of a stream table."""
        return next(table for table in self.st.list() if str(table.name) == f"{self}.{name}")

    def check(self, name: str) -> None:
        """The table is its query over the sources as they are now."""
        full = self.rows(self.definition(name).query)
        assert_same(self.rows(f"SELECT * FROM {self}.{name}"), full, f"{name} is not its query")

    def check_at_frontier(self, name: str) -> None:
        """The table is its query at the versions of Delta sources that its own log says it has taken in."""
        table = self.definition(name)
        positions = self.stamps(name)[-1]["positions"]
        session = self.spark.newSession()  # its views are nobody else's
        query = table.query
        for number, source in enumerate(table.sources):
            version = positions[source.name.key]["version"]
            frame = session.sql(f"SELECT * FROM {source.name.quoted} VERSION AS OF {version}")
            frame.createOrReplaceTempView(f"at_{number}")
            query = query.replace(str(source.name), f"at_{number}")
        full = bag(session.sql(query).collect())
        assert_same(self.rows(f"SELECT * FROM {self}.{name}"), full, f"{name} at {positions}")

    def commits(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        """The commits of a table's log from a version on, oldest first: commitInfo, txn and so on by action."""
        files = sorted((self.path(name) / "_delta_log").glob("*.json"))[since:]
        found = []
        for file in files:
            actions = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            found.append({key: value for action in actions for key, value in action.items()})
        return found

    def stamps(self, name: str) -> list[dict[str, Any]]:
        """The frontiers that a table's commits carry, oldest first."""
        texts = (commit["commitInfo"].get("userMetadata") for commit in self.commits(name))
        return [json.loads(text) for text in texts if text]

    def version(self, name: str) -> int:
        """The newest version of a table."""
        return len(list((self.path(name) / "_delta_log").glob("*.json"))) - 1

    def path(self, name: str) -> Path:
        """The folder of a table."""
        return self.folder / f"{self}.db" / name
