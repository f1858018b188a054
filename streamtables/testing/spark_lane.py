"""The Spark lane: a case through the public API, on Delta tables."""

from __future__ import annotations

import re
from datetime import timezone
from itertools import accumulate
from typing import TYPE_CHECKING

from streamtables.model import TableName
from streamtables.sql.dialect import Exact
from streamtables.testing.bags import Row, bag
from streamtables.testing.follow import failed
from streamtables.testing.told import CaseError

if TYPE_CHECKING:
    from collections import Counter
    from types import TracebackType

    from streamtables import StreamTables
    from streamtables.testing.cases import Case

NAME = "the_stream"
# Delta Lake allows such signs in column names only where it maps them to others.
_UNUSUAL = re.compile(r"`[^`]*[ ,;{}()=][^`]*`")


class SparkLane:
    """One case in a schema of its own, which is dropped afterwards.

    The sources of every other case have a change feed, and of every other one deletion vectors.
    """

    name = "spark"

    def __init__(self, st: StreamTables, case: Case) -> None:
        self._made: list[str] = []
        self._st, self._spark, self._case = st, st.spark, case
        self._schema = f"case_{case.number:08x}"
        self._table = f"{self._schema}.{NAME}"
        properties = {
            "enableChangeDataFeed": str(bool(case.number & 1)).lower(),
            "enableDeletionVectors": str(bool(case.number & 2)).lower(),
        }
        if _UNUSUAL.search(" ".join(case.setup)):
            properties["columnMapping.mode"] = "name"
        listed = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
        self._properties = f"TBLPROPERTIES ({listed})"

    def __enter__(self) -> SparkLane:
        told = [TableName(parts).quoted for parts in self._case.schemas]
        for schema in (self._schema, *told):
            self._make(schema)
        self._spark.sql(f"USE {self._schema}")
        self.run(self._case.setup)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if any(str(table.name) == self._table for table in self._st.list()):
            self._st.drop_stream_table(self._table)
        self._spark.sql("USE default")
        for schema in self._made:
            self._spark.sql(f"DROP SCHEMA {schema} CASCADE")

    def create(self) -> None:
        """Make the stream table; its columns are those of the query, types included."""
        self._st.create_stream_table(self._table, self._case.query)
        stored, full = (self._spark.sql(text).schema for text in (self._stored, self._case.query))
        assert [(field.name, field.dataType.simpleString()) for field in stored] == [
            (field.name, field.dataType.simpleString()) for field in full
        ]

    def run(self, statements: tuple[str, ...]) -> None:
        """Run statements, tables in Delta Lake."""
        for text in statements:
            try:
                self._spark.sql(in_delta(text, self._properties))
            except Exception as error:
                raise CaseError(failed(text, error)) from error

    def refresh(self) -> tuple[int, int]:
        """Refresh in the mode that the case pins; gives the numbers of rows in and out."""
        refresh = self._st.refresh(self._table)
        if refresh.action != "NO_DATA":
            done = f"{refresh.action.value} {refresh.reason}"
            assert refresh.action.value.lower() == self._case.mode, f"the refresh was {done}"
            is_told = self._case.mode == "incremental" or not self._case.reason
            assert is_told or refresh.reason == self._case.reason, f"the refresh was {done}"
        assert (refresh.version is None) == (refresh.rows_inserted == refresh.rows_deleted == 0)
        return refresh.rows_inserted, refresh.rows_deleted

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""
        return self._bag(self._stored)

    def full(self) -> Counter[Row]:
        """The query on the tables as they are now."""
        return self._bag(self._case.query)

    def _bag(self, query: str) -> Counter[Row]:
        """An answer. Python gets moments in this machine's time: they are told in UTC, the session's."""
        frame = self._spark.sql(query)
        is_moment = [field.dataType.simpleString() == "timestamp" for field in frame.schema]
        return bag(
            [
                value.astimezone(timezone.utc) if there and value is not None else value
                for there, value in zip(is_moment, row, strict=True)
            ]
            for row in frame.collect()
        )

    def _make(self, schema: str) -> None:
        """A schema that was there before holds somebody's tables: dropping it afterwards would lose them."""
        if self._spark.catalog.databaseExists(schema):
            raise CaseError(f"The schema {schema} is there already: cases make and drop their own")
        self._spark.sql(f"CREATE SCHEMA {schema}")
        self._made.append(schema)

    @property
    def _stored(self) -> str:
        return f"SELECT * FROM {self._table}"


def in_delta(text: str, properties: str) -> str:
    """A statement that makes a table, making it in Delta Lake unless it says itself in what; any other as it is.

    >>> in_delta("CREATE TABLE t AS SELECT 1 AS x", "TBLPROPERTIES ()")
    'CREATE TABLE t USING delta TBLPROPERTIES () AS SELECT 1 AS x'
    >>> in_delta("CREATE TABLE t (x INT) USING parquet", "TBLPROPERTIES ()")
    'CREATE TABLE t (x INT) USING parquet'
    """
    tokens = Exact().tokenize(text)
    words = [token.text.upper() for token in tokens]
    head = words[:4] if words[1:3] == ["OR", "REPLACE"] else words[:2]
    if head[:1] != ["CREATE"] or head[-1] != "TABLE":
        return text
    depths = list(accumulate((word == "(") - (word == ")") for word in words))
    outer = [word if depth == 0 else "" for word, depth in zip(words, depths, strict=True)]
    query = outer.index("AS") if "AS" in outer else len(words)
    if "USING" in outer[:query]:
        return text
    added = "USING delta" if "TBLPROPERTIES" in outer[:query] else f"USING delta {properties}"
    if query == len(words):
        return f"{text.rstrip()} {added}"
    at = tokens[query].start
    return f"{text[:at]}{added} {text[at:]}"
