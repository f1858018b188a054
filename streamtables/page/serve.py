"""Who may see the page, and what is sent: for any HTTP server, which this is none of."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from streamtables.catalog.base import utc_now
from streamtables.page.looks import script
from streamtables.page.page import document, page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from streamtables.catalog.base import CatalogReader

_DENIED = (
    "<p class=empty>This page needs its token: <code>/?token=…</code>, the one of <code>[metrics]</code> in the "
    "daemon's settings, or of <code>streamtables page --token</code>.</p>"
)


@dataclass(frozen=True)
class Reply:
    """What the server is to send."""

    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pages:
    """The page of a registry; a token keeps others out where the server listens to more than this machine."""

    catalog: CatalogReader
    title: str
    host: str = "127.0.0.1"
    token: str = ""
    zone: str | None = None
    now: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            object.__setattr__(self, "token", secrets.token_urlsafe(18))

    def reply(self, target: str, headers: Mapping[str, str]) -> Reply | None:
        """The answer to GET of a target such as `/?token=…`; None where it is none of the page's."""
        url = urlsplit(target)
        if url.path not in ("/", "/index.html"):
            return None
        if not self._is_local_name(headers.get("Host", "")):
            # Another site's name may be made to lead here: a browser would hand that site the answer.
            return _html(HTTPStatus.MISDIRECTED_REQUEST, document("Stream tables", "", ""))
        if not self.may_see(url.query, headers):
            return _html(HTTPStatus.UNAUTHORIZED, document("Stream tables", _DENIED, ""))
        return _html(HTTPStatus.OK, page(self.catalog, self.title, self.now(), self.zone))

    def may_see(self, query: str, headers: Mapping[str, str]) -> bool:
        """Whether a request has the token, in its URL or as a bearer's."""
        given = parse_qs(query).get("token", [""])[0]
        bearer = headers.get("Authorization", "").removeprefix("Bearer ")
        return not self.token or any(
            hmac.compare_digest(text.encode(), self.token.encode()) for text in (given, bearer)
        )

    def _is_local_name(self, host: str) -> bool:
        """Without a token only this machine's own names lead to the page."""
        return bool(self.token) or is_loopback(urlsplit(f"//{host}").hostname or "localhost")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.2", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _html(status: HTTPStatus, body: str) -> Reply:
    code = base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{code}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return Reply(
        status,
        body.encode(),
        {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        },
    )
