"""The small HTTP server."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest
from helpers.page_registry import filled

from streamtables.errors import InvalidSettings, RegistryUnreachable
from streamtables.page.serve import Pages
from streamtables.page.web import Served, site, url

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = Pages(filled(), "w")


def others(environ: dict[str, object], start: object) -> list[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])  # type: ignore[operator]
    return [b"up 1\n"]


@pytest.fixture
def served() -> Iterator[Served]:
    server = Served(site(PAGES, {"/metrics": others}), "127.0.0.1", 0)
    yield server
    server.stop()


def ask(served: Served, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", served.port, timeout=20)
    connection.request(method, path, headers=headers)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, body


def test_it_serves_the_page_and_others_and_nothing_else(served: Served) -> None:
    status, body = ask(served, "/")
    assert (status, b"shop.baskets" in body) == (200, True)
    assert ask(served, "/metrics") == (200, b"up 1\n")
    assert ask(served, "/etc/passwd")[0] == 404
    assert ask(served, "/", "POST")[0] == 405
    assert ask(served, "/", "HEAD") == (200, b"")
    assert ask(served, "/", Host="evil.example")[0] == 421


def test_a_port_that_is_taken_is_an_error_of_the_settings(served: Served) -> None:
    with pytest.raises(InvalidSettings, match="cannot be listened at"):
        Served(site(PAGES, {}), "127.0.0.1", served.port)


def test_a_registry_that_is_away_is_said(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: object) -> None:
        raise RegistryUnreachable("The registry does not answer")

    monkeypatch.setattr(type(PAGES.catalog), "tables", away)
    assert ask(served, "/") == (503, b"The registry does not answer.\n")


def test_the_address_holds_the_token() -> None:
    assert url("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert url("::", 80, "x") == "http://[::]:80/?token=x"
