"""The Spark lane: a case through the public API, on Delta tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamtables.model import TableName
from streamtables.testing.bags import Row, bag
from streamtables.testing.cases import CaseError

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
        self._using = f" USING delta TBLPROPERTIES ({listed})"

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
            is_table = text.upper().startswith("CREATE TABLE")
            self._spark.sql(text + self._using if is_table else text)

    def refresh(self) -> tuple[int, int]:
        """Refresh in the mode that the case pins; gives the numbers of rows in and out."""
        refresh = self._st.refresh(self._table)
        if refresh.action != "NO_DATA":
            done = f"{refresh.action.value} {refresh.reason}"
            assert refresh.action.value.lower() == self._case.mode, f"the refresh was {done}"
            is_told = refresh.reason == self._case.reason or self._case.mode == "incremental"
            assert is_told, f"the refresh was {done}"
        assert (refresh.version is None) == (refresh.rows_inserted == refresh.rows_deleted == 0)
        return refresh.rows_inserted, refresh.rows_deleted

    def stored(self) -> Counter[Row]:
        """The stream table as the analyst reads it."""
        return bag(self._spark.sql(self._stored).collect())

    def full(self) -> Counter[Row]:
        """The query on the tables as they are now."""
        return bag(self._spark.sql(self._case.query).collect())

    def _make(self, schema: str) -> None:
        """A schema that was there before holds somebody's tables: dropping it afterwards would lose them."""
        if self._spark.catalog.databaseExists(schema):
            raise CaseError(f"The schema {schema} is there already: cases make and drop their own")
        self._spark.sql(f"CREATE SCHEMA {schema}")
        self._made.append(schema)

    @property
    def _stored(self) -> str:
        return f"SELECT * FROM {self._table}"
