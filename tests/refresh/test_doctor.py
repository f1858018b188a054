"""What the doctor concludes, from a lake that says what the test wants."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from streamtables.catalog.memory import MemoryCatalog
from streamtables.checks import Check
from streamtables.codec import definition_from_json
from streamtables.config import DoctorSettings
from streamtables.errors import UnknownTable
from streamtables.model import (
    Action,
    Condition,
    Frontier,
    Position,
    Refresh,
    SourceKind,
    Status,
    Written,
)
from streamtables.refresh.doctor import FINDINGS, Checkup, examine

NOON = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
AT = Position("id", 3, "hash")
STANDS = Frontier(5, {"`shop`.`orders`": AT}, NOON)
FINE = Condition(3, 7 * 86_400.0, None, False, True, True, 2, 4_000_000, True)
TABLE = definition_from_json(
    json.dumps(
        {
            "id": "1", "name": "shop.daily", "query": "SELECT v FROM shop.orders", "schedule": "5m",
            "refresh_mode": "AUTO", "columns": [{"name": "v", "type": "int"}], "fingerprint": "f", "generation": 1,
            "sources": [{"name": "shop.orders", "kind": "DELTA", "columns": [{"name": "v", "type": "int"}]}],
            "created_at": "2026-01-02T03:04:05+00:00",
        }
    )
)  # fmt: skip


def checkup(table: Any = TABLE, last: Refresh | None = None, **says: Any) -> Checkup:
    """A checkup of one table; `says` are answers of the lake other than those of one where all is well."""
    catalog = MemoryCatalog()
    catalog.add(table)
    catalog.set_frontier("1", STANDS)
    if last is not None:
        catalog.note(last)
    answers = {
        "written": lambda table: Written(9, STANDS, is_foreign=False),
        "condition": lambda source, since: FINE,
        "pin": lambda sources: {"`shop`.`orders`": AT},
        "broken": lambda source, window, columns: None,
        **says,
    }
    engine: Any = SimpleNamespace(**answers)
    return examine(engine, catalog, [table], DoctorSettings(small_files=50), NOON)


def gone(*_: object) -> None:
    raise UnknownTable("It is gone")


def source_is(**changes: Any) -> Any:
    """An answer about the source; the table itself is fine."""
    return lambda source, since: replace(FINE, **changes) if since else FINE


def test_where_all_is_well_nothing_is_found() -> None:
    found = checkup()
    assert (found.findings, bool(found)) == ((), True)
    (row,) = found.headroom
    assert (row.name, row.source, row.taken_in, row.newest) == ("shop.daily", "shop.orders", 3, 3)
    assert row.seconds == 7 * 86_400


FAILED = Refresh("1", "shop.daily", -1, Action.FAILED, "E", NOON, 1.0, error="It broke.")
CHECKED = replace(TABLE, checks=(Check("positive", "v > 0"), Check("known", "v IS NOT NULL")))
FOUND = replace(
    FAILED,
    action=Action.INCREMENTAL,
    measures={"rows_failing.positive": 2, "rows_failing.known": 0},
)
MIRRORED = replace(TABLE, sources=(replace(TABLE.sources[0], kind=SourceKind.MIRRORED),))
LATE = NOON - timedelta(days=4)
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "SUSPENDED": ("negative count", {"table": replace(TABLE, status=Status.SUSPENDED, message="negative count")}),
    "PAUSED": ("leaves it out", {"table": replace(TABLE, status=Status.PAUSED)}),
    "FAILING": ("It broke", {"last": FAILED}),
    "TABLE_MISSING": ("no table", {"written": lambda table: None}),
    "UNREADABLE": ("It is gone", {"condition": gone}),
    "NOT_WRITABLE": ("may not write", {"condition": lambda source, since: replace(FINE, may_write=bool(since))}),
    "HISTORY_LOST": ("files that changed since", {"condition": source_is(is_lost=True)}),
    "HISTORY_ENDS_SOON": ("3.0 days more", {"condition": source_is(behind_since=LATE)}),
    "KEEPS_TOO_SHORT": ("every 5.0 minutes", {"condition": source_is(keeps_s=240.0)}),
    "RESULT_CHANGED": ("somebody else", {"written": lambda table: Written(9, STANDS, is_foreign=True)}),
    "OUT_OF_STEP": ("is 6, for the registry 5", {"written": lambda table: Written(9, replace(STANDS, number=6), 0)}),
    "NO_DELETION_VECTORS": ("no change feed", {"condition": source_is(has_deletion_vectors=False, has_feed=False)}),
    "SMALL_FILES": ("51 files of 1,000 bytes", {"condition": source_is(file_count=51, size_bytes=51_000)}),
    "ROWS_FAIL_CHECK": ("2 fail positive", {"table": CHECKED, "last": FOUND}),
    "MIRRORED": ("reads all of it", {"table": MIRRORED}),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_each_finding_is_found_alone(code: str) -> None:
    words, given = CASES[code]
    found = checkup(**given)
    assert {finding.code for finding in found.findings} == {code}
    assert words in found.findings[0].message
    assert found.findings[0].hint.endswith(".")
    assert bool(found) == (found.findings[0].level == "note")


def test_a_source_that_was_replaced_has_lost_its_history() -> None:
    found = checkup(broken=lambda source, window, columns: ("SOURCE_REPLACED", "it is another"))
    (finding,) = found.findings
    assert (finding.code, found.headroom) == ("HISTORY_LOST", ())
    assert "it is another" in finding.message


def test_what_the_registry_does_not_know_is_told() -> None:
    found = examine(SimpleNamespace(), MemoryCatalog(), [TABLE], DoctorSettings(), NOON)  # type: ignore[arg-type]
    assert [finding.code for finding in found.findings] == ["NOT_REGISTERED"]


def test_every_code_has_a_case() -> None:
    assert set(FINDINGS) == {*CASES, "NOT_REGISTERED"}
