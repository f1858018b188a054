"""OpenLineage events, and their delivery."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from helpers.page_registry import ERROR, filled

from streamtables.config import LineageSettings
from streamtables.model import Action, Frontier, Position
from streamtables.page.lineage import lineage
from streamtables.page.openlineage import run_events
from streamtables.page.sending import KEY, Sender

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CATALOG = filled()
TABLE = next(table for table in CATALOG.tables() if str(table.name) == "shop.revenue")
POSITION = Position("id", 7, "hash")
DONE = replace(
    CATALOG.history(TABLE.id, 1)[0],
    version=12,
    frontier=Frontier(30, {TABLE.sources[0].name.key: POSITION}),
)


def events(**changes: Any) -> list[dict[str, Any]]:
    return run_events(TABLE, replace(DONE, **changes), lineage(CATALOG.tables()), "lake")


def test_a_refresh_is_a_run_from_start_to_end() -> None:
    start, end = events()
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert start["eventTime"] < end["eventTime"]
    assert end["job"]["facets"]["sql"]["query"] == TABLE.query


def test_it_tells_versions_rows_and_columns() -> None:
    end = events()[1]
    (source,), (result,) = end["inputs"], end["outputs"]
    assert (source["name"], source["facets"]["version"]["datasetVersion"]) == ("shop.orders", "7")
    assert result["facets"]["version"]["datasetVersion"] == "12"
    assert result["outputFacets"]["outputStatistics"]["rowCount"] == DONE.rows_inserted
    assert result["facets"]["columnLineage"]["fields"]["revenue"] == {
        "inputFields": [{"namespace": "lake", "name": "shop.orders", "field": "amount"}]
    }
    assert all("_schemaURL" in facet for facet in result["facets"].values())


def test_a_failure_is_told_and_nothing_of_nothing() -> None:
    end = events(action=Action.FAILED, error=ERROR)[1]
    assert end["eventType"] == "FAIL"
    assert end["run"]["facets"]["errorMessage"]["message"] == ERROR
    assert events(action=Action.NO_DATA) == []


def test_a_file_gets_a_line_per_event(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    told: list[str] = []
    sender = Sender(CATALOG, LineageSettings(str(file)), told.append)
    sender(DONE)
    sender(replace(DONE, table_id="dropped"))
    sender.close()
    kinds = [json.loads(line)["eventType"] for line in file.read_text().splitlines()]
    assert (kinds, told) == (["START", "COMPLETE"], [])


class Listening(BaseHTTPRequestHandler):
    heard: list[tuple[str, str | None, dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.heard.append((self.path, self.headers["Authorization"], body))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    Listening.heard = []
    with HTTPServer(("127.0.0.1", 0), Listening) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_a_server_gets_them_posted(server: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret")
    told: list[str] = []
    to = f"http://127.0.0.1:{server.server_address[1]}"
    sender = Sender(CATALOG, LineageSettings(to), told.append)
    sender(DONE)
    sender.close()
    assert [(path, key) for path, key, _ in Listening.heard] == [
        ("/api/v1/lineage", "Bearer secret")
    ] * 2
    assert told == []


def test_what_cannot_be_delivered_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    sender = Sender(CATALOG, LineageSettings(str(tmp_path / "no" / "file")), told.append)
    sender(DONE)
    sender.close()
    assert "The lineage of shop.revenue could not be delivered" in told[0]
