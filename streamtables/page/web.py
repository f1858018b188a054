"""The small HTTP server: the page, and beside it what else is to be read, such as metrics."""

from __future__ import annotations

import socket
import threading
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from streamtables.errors import InvalidSettings, StreamTablesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from streamtables.page.serve import Pages


def _plain() -> list[tuple[str, str]]:
    """The server adds headers of its own to the list it is given."""
    return [("Content-Type", "text/plain; charset=utf-8")]


def site(pages: Pages, others: Mapping[str, WSGIApplication]) -> WSGIApplication:
    """The page and, by their paths, other applications; nothing can be written through it."""

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "/")
        if path in others:
            return others[path](environ, start)
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start("405 Method Not Allowed", _plain())
            return [b"This page is only read.\n"]
        headers = {
            "Host": environ.get("HTTP_HOST", ""),
            "Authorization": environ.get("HTTP_AUTHORIZATION", ""),
        }
        try:
            reply = pages.reply(f"{path}?{environ.get('QUERY_STRING', '')}", headers)
        except StreamTablesError as error:
            start("503 Service Unavailable", _plain())
            return [f"{error}\n".encode()]
        if reply is None:
            start("404 Not Found", _plain())
            return [b"There is nothing here.\n"]
        start(f"{reply.status.value} {reply.status.phrase}", list(reply.headers.items()))
        return [reply.body] if environ["REQUEST_METHOD"] == "GET" else []

    return answer


class Served:
    """A server that answers in threads of its own until it is stopped."""

    def __init__(self, application: WSGIApplication, host: str, port: int) -> None:
        kind = _Server6 if ":" in host else _Server
        try:
            self._server = kind((host, port), _Handler)
        except OSError as error:
            raise InvalidSettings(
                f"{host}:{port} cannot be listened at: {error.strerror}",
                hint="Give another port, or stop what listens there.",
            ) from error
        self._server.set_app(application)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 30  # a client that says nothing holds no thread for ever

    def log_message(self, *_: Any) -> None:
        """A URL may hold the token: no request is written down."""


def url(host: str, port: int, token: str = "") -> str:
    """What to open in a browser."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/{f'?token={token}' if token else ''}"
