"""The page: what it says, who may see it, and how it looks in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from helpers.page_registry import NOW, filled

from streamtables.catalog.memory import MemoryCatalog
from streamtables.model import Action, Frontier, Status
from streamtables.page.lineage import lineage
from streamtables.page.page import graph_page, page
from streamtables.page.serve import Pages
from streamtables.page.state import BAD, GOOD, LATE, NEW, OFF, state_of
from streamtables.page.web import Served, site

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

CATALOG = filled()
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


class Tags(HTMLParser):
    """The tags of a page, and what they would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [
            f"{name}={value}" for name, value in attrs if name == "src" or name[:2] == "on"
        ]
        self.loads += [
            str(value) for name, value in attrs if name == "href" and str(value)[:1] != "#"
        ]


def test_it_says_of_each_table_how_it_is() -> None:
    text = page(CATALOG, "/data/warehouse", NOW)
    for word in (
        "2 failing",
        "1 late",
        "1 paused",
        "2 fresh",
        "UPSTREAM_",
        "CHANGE_SMALL",
        "1m 15s",
    ):
        assert word in text
    assert "GROUP BY country" in text
    assert "<code>shop.orders.country</code>" in text
    assert "has no column customer any more" in text


def test_nothing_in_a_name_a_query_or_an_error_becomes_markup() -> None:
    found = Tags(page(CATALOG, "<script>alert(3)</script>", NOW))
    assert "img" not in found.tags
    assert found.tags.count("script") == 1
    assert found.loads == []
    assert Tags(graph_page(lineage(CATALOG.tables()))).loads == []


def test_an_empty_registry_says_what_to_do() -> None:
    assert "streamtables create" in page(MemoryCatalog(), "w", NOW)


def test_states() -> None:
    table = replace(CATALOG.tables()[1], status=Status.ACTIVE)
    (last,) = CATALOG.history(table.id, 1)
    good = replace(last, action=Action.NO_DATA, error=None)
    failed = replace(good, action=Action.FAILED, error="away")
    fresh = {"data_timestamp": NOW - timedelta(seconds=75), "is_late": False}
    never = {"data_timestamp": None, "is_late": None}
    assert state_of(table, [good], fresh, NOW).kind == GOOD
    assert state_of(table, [good], fresh, NOW).words == "1m 15s ago"
    assert state_of(table, [], never, NOW).kind == NEW
    assert state_of(table, [good], {**fresh, "is_late": True}, NOW).kind == LATE
    assert state_of(table, [failed, good], fresh, NOW).kind == BAD
    assert state_of(table, [failed, good], fresh, NOW).error == "away"
    assert state_of(replace(table, status=Status.PAUSED), [good], fresh, NOW).kind == OFF
    assert state_of(replace(table, status=Status.SUSPENDED), [good], fresh, NOW).kind == BAD


def test_without_a_token_only_this_machine_sees_it() -> None:
    local = Pages(CATALOG, "w", now=lambda: NOW)
    assert _status(local, "/", Host="localhost:9187") == 200
    assert _status(local, "/", Host="[::1]:9187") == 200
    assert _status(local, "/", Host="evil.example:9187") == 421
    assert local.reply("/metrics", {}) is None


def test_elsewhere_it_asks_for_its_token() -> None:
    far = Pages(CATALOG, "w", host="0.0.0.0", now=lambda: NOW)
    assert len(far.token) >= 20
    assert _status(far, "/", Host="lake.example") == 401
    assert _status(far, "/?token=no", Host="lake.example") == 401
    assert _status(far, f"/?token={far.token}", Host="lake.example") == 200
    assert _status(far, "/", Host="lake.example", Authorization=f"Bearer {far.token}") == 200
    assert Pages(CATALOG, "w", host="0.0.0.0", token="mine").token == "mine"


def test_cron_lines_are_judged_in_its_zone() -> None:
    catalog, table = MemoryCatalog(), replace(CATALOG.tables()[1], schedule="@daily")
    catalog.add(replace(table, status=Status.ACTIVE))
    catalog.set_frontier(table.id, Frontier(1, {}, NOW - timedelta(hours=30)))
    for zone, word in (("UTC", b"1 fresh"), ("Etc/GMT+12", b"1 late")):
        reply = Pages(catalog, "w", zone=zone, now=lambda: NOW).reply("/", {})
        assert reply is not None
        assert word in reply.body


def test_it_may_load_nothing() -> None:
    reply = Pages(CATALOG, "w", now=lambda: NOW).reply("/", {})
    assert reply is not None
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert b"Reference" not in reply.body


def _status(pages: Pages, target: str, **headers: str) -> int:
    reply = pages.reply(target, headers)
    assert reply is not None
    return int(reply.status)


@pytest.mark.skipif(not BROWSER, reason="no Chromium is installed")
@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("is_dark", [False, True])
def test_in_a_browser_it_fits_and_runs_nothing_of_others(
    tmp_path: Path, width: int, is_dark: bool
) -> None:
    text = page(CATALOG, "/data/warehouse", NOW, is_live=False).replace("<details", "<details open")
    probe = (
        "<script>const s = document.createElement('p'); s.id = 'probe'; const r = document.documentElement;"
        "s.textContent = [innerWidth, r.scrollWidth, document.images.length,"
        " getComputedStyle(document.body).backgroundColor].join('|');"
        "document.body.append(s)</script>"
    )
    file = tmp_path / "page.html"
    frame = tmp_path / "frame.html"
    file.write_text(text.replace("</body>", f"{probe}</body>"), "utf-8")
    # Headless windows are at least 500 wide: a frame is as narrow as a phone.
    frame.write_text(
        f'<iframe src="page.html" style="width:{width}px;height:2000px;border:0"></iframe>'
        "<script>onload = () => document.body.append("
        "document.querySelector('iframe').contentDocument.getElementById('probe').cloneNode(true))</script>"
    )
    dark = ["--blink-settings=preferredColorScheme=0"] if is_dark else []
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--allow-file-access-from-files",
        *dark,
    ]
    done = subprocess.run(
        [BROWSER, *options, f"--user-data-dir={tmp_path}/user", "--dump-dom", f"file://{frame}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = re.search(r'<p id="probe">(\d+)\|(\d+)\|(\d+)\|([^<]+)</p>', done.stdout)
    assert found, done.stdout[-2000:]
    assert int(found[1]) == width
    assert int(found[2]) <= width
    assert found[3] == "0"
    assert found[4] == ("rgb(17, 22, 28)" if is_dark else "rgb(244, 246, 248)")


@pytest.mark.skipif(not BROWSER, reason="no Chromium is installed")
@pytest.mark.slow
def test_in_a_browser_it_renews_itself(tmp_path: Path) -> None:
    asked: list[int] = []

    def now() -> datetime:
        asked.append(1)
        return NOW + timedelta(minutes=len(asked))

    served = Served(site(Pages(CATALOG, "w", now=now), {}), "127.0.0.1", 0)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=22000"]
    done = subprocess.run(
        [
            BROWSER,
            *options,
            f"--user-data-dir={tmp_path}",
            "--dump-dom",
            f"http://127.0.0.1:{served.port}/",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    served.stop()
    assert len(asked) > 1
    assert f"12:{len(asked):02}:00 UTC" in done.stdout
