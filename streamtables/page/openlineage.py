"""Refreshes as OpenLineage events, with the columns that each column comes from.

The form is that of https://openlineage.io/spec/2-0-2/OpenLineage.json; nothing but the standard library is needed.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from streamtables.model import Action

if TYPE_CHECKING:
    from datetime import datetime

    from streamtables.model import Column, Refresh, StreamTable
    from streamtables.page.lineage import Lineage

PRODUCER = "https://pypi.org/project/streamtables"
_SPEC = "https://openlineage.io/spec"
_QUIET = (Action.NO_DATA, Action.SKIPPED)


def run_events(
    table: StreamTable, refresh: Refresh, found: Lineage, namespace: str
) -> list[dict[str, Any]]:
    """The start and the end of a refresh; none of one that found nothing to do."""
    if refresh.action in _QUIET:
        return []
    told = f"{refresh.table_id}/{refresh.number}/{refresh.started_at.isoformat()}"
    run_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{PRODUCER}/{told}"))
    ended = refresh.started_at + timedelta(seconds=refresh.seconds)
    has_failed = refresh.action.is_failure
    shared = {
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "job": _job(table, namespace),
        "inputs": _inputs(table, refresh, namespace),
        "outputs": [_output(table, refresh, found, namespace)],
    }
    failure = {"errorMessage": _error(refresh)} if has_failed else {}
    return [
        _event("START", refresh.started_at, {"runId": run_id}, shared),
        _event(
            "FAIL" if has_failed else "COMPLETE",
            ended,
            {"runId": run_id, "facets": failure},
            shared,
        ),
    ]


def _event(kind: str, at: datetime, run: dict[str, Any], rest: dict[str, Any]) -> dict[str, Any]:
    return {"eventType": kind, "eventTime": at.isoformat(), "run": run, **rest}


def _facet(name: str, version: str, **fields: object) -> dict[str, Any]:
    return {
        "_producer": PRODUCER,
        "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json#/$defs/{name}",
        **fields,
    }


def _job(table: StreamTable, namespace: str) -> dict[str, Any]:
    facets = {
        "sql": _facet("SQLJobFacet", "1-1-0", query=table.query, dialect="spark"),
        "jobType": _facet(
            "JobTypeJobFacet",
            "2-0-3",
            processingType="BATCH",
            integration="STREAMTABLES",
            jobType="REFRESH",
        ),
    }
    return {"namespace": namespace, "name": str(table.name), "facets": facets}


def _inputs(table: StreamTable, refresh: Refresh, namespace: str) -> list[dict[str, Any]]:
    positions = refresh.frontier.positions if refresh.frontier else {}
    inputs = []
    for source in table.sources:
        facets = {"schema": _schema(source.columns)}
        if source.name.key in positions:
            facets["version"] = _version(positions[source.name.key].version)
        inputs.append({"namespace": namespace, "name": str(source.name), "facets": facets})
    return inputs


def _output(table: StreamTable, refresh: Refresh, found: Lineage, namespace: str) -> dict[str, Any]:
    facets = {"schema": _schema(table.columns)}
    if refresh.version is not None:
        facets["version"] = _version(refresh.version)
    if columns := found.columns.get(str(table.name)):
        facets["columnLineage"] = _facet(
            "ColumnLineageDatasetFacet",
            "1-2-0",
            fields={
                name: {
                    "inputFields": [
                        {"namespace": namespace, "name": source, "field": field}
                        for source, field in fields
                    ]
                }
                for name, fields in columns.items()
            },
        )
    written = _facet("OutputStatisticsOutputDatasetFacet", "1-0-2", rowCount=refresh.rows_inserted)
    return {
        "namespace": namespace,
        "name": str(table.name),
        "facets": facets,
        "outputFacets": {"outputStatistics": written},
    }


def _schema(columns: tuple[Column, ...]) -> dict[str, Any]:
    fields = [{"name": column.name, "type": column.type} for column in columns]
    return _facet("SchemaDatasetFacet", "1-1-1", fields=fields)


def _version(version: int) -> dict[str, Any]:
    return _facet("DatasetVersionDatasetFacet", "1-0-1", datasetVersion=str(version))


def _error(refresh: Refresh) -> dict[str, Any]:
    message = refresh.error or refresh.reason
    return _facet("ErrorMessageRunFacet", "1-0-1", message=message, programmingLanguage="SQL")
