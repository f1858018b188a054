"""The tables and views of a catalog, by SQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from streamtables.spark.remote.log import RemoteLog, detail
from streamtables.spark.session import location
from streamtables.spark.tables import Tables
from streamtables.spark.views import View, Views

if TYPE_CHECKING:
    from streamtables.model import TableName
    from streamtables.spark.log import DeltaLog


class RemoteTables(Tables):
    """Finds logs of tables by asking Delta where they lie."""

    log_type = RemoteLog

    def qualified(self, path: str) -> str:
        """A path as Spark writes it where it tells where a table lies."""
        place = location(path)
        return f"file:{place}" if place.startswith("/") else place

    def delete(self, path: str) -> None:
        """No statement removes a folder: that of a table which the catalog only points at stays, as does state."""

    def _location(self, name: TableName) -> str | None:
        found = detail(self._spark, name)
        return str(found.location) if found is not None else None

    def _elsewhere(self, name: TableName) -> DeltaLog | None:
        return None  # Delta has been asked, wherever the table may be

    def _is_temporary(self, name: TableName) -> bool:
        from pyspark.errors import AnalysisException

        try:
            return bool(self._spark.catalog.getTable(name.quoted).isTemporary)
        except AnalysisException:
            return False

    def _forget(self, name: TableName) -> None:
        """The server's catalog is not ours to mend."""


class RemoteViews(Views):
    """Finds the queries of views by SQL."""

    def _view(self, name: TableName) -> View | None:
        from pyspark.errors import AnalysisException

        try:
            (row,) = self._spark.sql(f"DESCRIBE TABLE EXTENDED {name.quoted} AS JSON").collect()
        except AnalysisException:
            return None
        told = json.loads(row[0])
        if told.get("type") != "VIEW":
            return None
        return View(
            told["view_text"],
            tuple(told["namespace"]),
            list(told.get("view_query_output_columns", ())),
            [column["name"] for column in told["columns"]],
        )
