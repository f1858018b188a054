"""How a refresh is chosen, and that every reason is told."""

from __future__ import annotations

import pytest

from streamtables.errors import UnsupportedQuery
from streamtables.model import Action, RefreshMode
from streamtables.refresh.choose import REASONS, SMALL_CHANGE, Decision, choose, choose_by_size

REFUSAL = UnsupportedQuery("WINDOW", "The query cannot be incremental")


@pytest.mark.parametrize(
    ("mode", "refusal", "asked", "broken", "decision"),
    [
        (RefreshMode.AUTO, None, False, None, None),
        (RefreshMode.AUTO, None, True, None, (Action.FULL, "REQUESTED_FULL")),
        (RefreshMode.AUTO, REFUSAL, False, None, (Action.FULL, "WINDOW")),
        (RefreshMode.FULL, None, False, None, (Action.FULL, "MODE_FULL")),
        (RefreshMode.INCREMENTAL, None, False, None, (Action.INCREMENTAL, "MODE_INCREMENTAL")),
        (
            RefreshMode.INCREMENTAL,
            None,
            False,
            ("SOURCE_REPLACED", "x"),
            (Action.REINITIALIZE, "SOURCE_REPLACED"),
        ),
    ],
)
def test_before_the_changes_are_read(
    mode: RefreshMode,
    refusal: UnsupportedQuery | None,
    asked: bool,
    broken: tuple[str, str] | None,
    decision: tuple[Action, str] | None,
) -> None:
    found = choose(mode, refusal, is_full_asked=asked, broken=broken)
    assert (found and (found.action, found.reason)) == decision


def _must_not_count() -> int:
    raise AssertionError("the sources were counted")


def test_a_small_change_is_applied_without_counting_the_sources() -> None:
    assert choose_by_size(SMALL_CHANGE, _must_not_count).reason == "CHANGE_SMALL"


@pytest.mark.parametrize(
    ("changed", "rows", "reason"),
    [
        (20_000, 100_000, "CHANGE_SMALL"),
        (30_001, 100_000, "CHANGE_LARGE"),
        (20_000, 0, "CHANGE_LARGE"),
    ],
)
def test_a_large_change_is_weighed(changed: int, rows: int, reason: str) -> None:
    found = choose_by_size(changed, lambda: rows)
    assert found.reason == reason
    assert isinstance(found, Decision)
    assert found.reason in REASONS
