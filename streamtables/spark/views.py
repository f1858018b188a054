"""Views as the queries behind them, with every name made whole, so that they mean the same in any session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamtables.model import TableName
from streamtables.sql.query import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class View:
    """A view as the catalog keeps it: its text, the schema it was made in, its text's columns and its own."""

    text: str
    schema: tuple[str, ...]
    written: list[str]
    columns: list[str]


class Views:
    """Finds the queries of the views that the session's own catalog keeps."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def query(self, name: TableName) -> str | None:
        """The query of a view over tables, views inside it written out; None for what is not a view."""
        view = self._view(name)
        if view is None:
            return None
        query = Query.parse(view.text)
        inside = {}
        for found in query.names:
            whole = found if len(found.parts) > 1 else TableName((*view.schema, *found.parts))
            inner = self.query(whole)
            inside[found.key] = f"({inner})" if inner is not None else whole.quoted
        return _shown(query.inlining(inside), view.written, view.columns)

    def _view(self, name: TableName) -> View | None:
        if len(name.parts) > 2:
            return None
        session: Any = self._spark
        catalog = session._jsparkSession.sessionState().catalog()
        schema = name.parts[0] if len(name.parts) == 2 else catalog.getCurrentDatabase()
        identifier = session._jvm.org.apache.spark.sql.catalyst.TableIdentifier(
            name.parts[-1], session._jvm.scala.Option.apply(schema)
        )
        if not catalog.tableExists(identifier):
            return None
        table = catalog.getTableMetadata(identifier)
        if table.tableType().name() != "VIEW":
            return None
        return View(
            str(table.viewText().get()),
            tuple(str(part) for part in _list(table.viewCatalogAndNamespace())[1:]),
            [str(part) for part in _list(table.viewQueryColumnNames())],
            list(table.schema().fieldNames()),
        )


def _shown(text: str, written: list[str], columns: list[str]) -> str:
    """The query under the view's own column names; a column that a star has gained since is left out."""
    if not written:
        return text
    items = ", ".join(
        f"{TableName((old,)).quoted} AS {TableName((new,)).quoted}"
        for old, new in zip(written, columns, strict=True)
    )
    # On lines of their own: the text may end in a comment.
    return f"SELECT {items} FROM (\n{text}\n)"  # noqa: S608 identifiers, and the view's own text


def _list(sequence: Any) -> list[Any]:
    return [sequence.apply(i) for i in range(sequence.size())]
