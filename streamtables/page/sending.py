"""Where OpenLineage events go: a file, or a server. What cannot be delivered is told, and holds nothing up."""

from __future__ import annotations

import json
import os
import queue
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from streamtables.page.lineage import lineage
from streamtables.page.openlineage import run_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.catalog.base import CatalogReader
    from streamtables.config import LineageSettings
    from streamtables.model import Refresh

KEY = "OPENLINEAGE_API_KEY"
_WAITING = 1_000
_TIMEOUT_S = 5.0


class Sender:
    """To be told of each refresh; sends its events from a thread of its own."""

    def __init__(
        self, catalog: CatalogReader, settings: LineageSettings, tell: Callable[[str], None]
    ) -> None:
        """For the tables of a registry; `tell` hears of what could not be delivered."""
        self._catalog, self._settings, self._tell = catalog, settings, tell
        self._waiting: queue.Queue[Refresh | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def __call__(self, refresh: Refresh | None) -> None:
        """A refresh has ended; nothing is sent where no place to send to is set."""
        if refresh is None or not self._settings.to:
            return
        try:
            self._waiting.put_nowait(refresh)
        except queue.Full:
            self._tell(f"The lineage of {refresh.name} is left out: too much waits to be sent")

    def close(self, seconds: float = 10.0) -> None:
        """Send what waits, and stop."""
        with suppress(queue.Full):
            self._waiting.put(None, timeout=seconds)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (refresh := self._waiting.get()) is not None:
            try:
                self._send(refresh)
            except Exception as error:  # noqa: BLE001 no refresh fails for want of a catalogue of data
                self._tell(f"The lineage of {refresh.name} could not be delivered: {error}")

    def _send(self, refresh: Refresh) -> None:
        tables = self._catalog.tables()
        table = next((one for one in tables if one.id == refresh.table_id), None)
        if table is not None:
            found = lineage(tables, str(table.name))
            for event in run_events(table, refresh, found, self._settings.namespace):
                deliver(event, self._settings.to)


def deliver(event: dict[str, Any], to: str) -> None:
    """Append an event to a file, a line each, or post it to a server."""
    text = json.dumps(event)
    address = urlsplit(to)
    if address.scheme not in ("http", "https"):
        with Path(to.removeprefix("file://")).open("a", encoding="utf-8") as lines:
            lines.write(text + "\n")
        return
    url = to if address.path.strip("/") else f"{to.rstrip('/')}/api/v1/lineage"
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get(KEY):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, text.encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S):
        pass
