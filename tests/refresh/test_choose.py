"""How a refresh is chosen, and that every reason is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from itertools import product
from typing import TYPE_CHECKING

import pytest

from streamtables.errors import UnsupportedQuery
from streamtables.model import Action, Refresh, RefreshMode
from streamtables.plan import nodes as n
from streamtables.plan.expr import col
from streamtables.plan.walk import sources
from streamtables.refresh.choose import PROBE_EVERY, REASONS, Decision, choose, choose_by_cost
from streamtables.refresh.cost import PRIORS, Estimate, Load, prior
from streamtables.rules.derive import derive

if TYPE_CHECKING:
    from collections.abc import Sequence

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


ONE_SOURCE = n.Aggregate(n.Scan("s", ("a", "b"), ("a", "b")), ("a",), ())
LINEAR = n.Filter(n.Scan("s", ("a", "b"), ("a", "b")), col("a"))


BEFORE = Estimate(0.6, 0.8)


def past(action: Action, seconds: float, reason: str = "CHANGE_SMALL") -> Refresh:
    """A refresh of which the same had been estimated."""
    measures = BEFORE.measures(PRIORS)
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return Refresh("id", "t", 1, action, reason, now, seconds, version=1, measures=measures)


def applied(seconds: float) -> Refresh:
    return past(Action.INCREMENTAL, seconds)


def recomputed(seconds: float) -> Refresh:
    return past(Action.FULL, seconds, "RECOMPUTE_CHEAPER")


LOAD = Load(1_000, {"s": 1_000_000}, 20_000)


def chosen(history: Sequence[Refresh], load: Load = LOAD) -> str:
    return choose_by_cost(BEFORE, load, history).reason


@pytest.mark.parametrize(
    ("changed", "rows", "reason"),
    [
        (9_000, 9_500, "CHANGE_SMALL"),
        (20_000, 100_000, "CHANGE_SMALL"),
        (30_001, 100_000, "CHANGE_LARGE"),
        (20_000, 0, "CHANGE_LARGE"),
    ],
)
def test_by_the_share_of_changed_rows(changed: int, rows: int, reason: str) -> None:
    assert chosen((), Load(changed, {"s": rows}, 10)) == reason


def before(plan: n.Node, load: Load) -> Estimate:
    delta = derive(plan, sources(plan), plan.columns)
    assert delta is not None
    return prior(plan, delta, load)


def test_without_history_a_change_is_applied() -> None:
    assert chosen(()) == "CHANGE_SMALL"
    for plan, rows in product((LINEAR, ONE_SOURCE), (10**5, 10**8)):
        load = Load(1, {"s": rows}, rows // 50)
        found = choose_by_cost(before(plan, load), load, ())
        assert (found.action, found.measures["prior_full"]) == (
            Action.INCREMENTAL,
            found.measures["estimate_full"],
        )


def test_only_what_has_to_be_read_is_counted() -> None:
    small, large = (Load(1, {"s": rows}, 100) for rows in (10**6, 10**8))
    assert before(LINEAR, small) == replace(before(LINEAR, large), full=before(LINEAR, small).full)
    assert before(ONE_SOURCE, large).incremental > 2 * before(ONE_SOURCE, small).incremental
    assert before(ONE_SOURCE, large).full > 10 * before(ONE_SOURCE, small).full
    twice = n.UnionAll((ONE_SOURCE, ONE_SOURCE))
    assert before(twice, large).full > 1.5 * before(ONE_SOURCE, large).full


def test_few_rows_are_never_recomputed_whatever_a_slow_start_took() -> None:
    slow = [applied(60.0), applied(60.0), recomputed(0.1)]
    assert chosen(slow, Load(10, {"s": 500}, 500)) == "CHANGE_SMALL"


def test_history_decides() -> None:
    assert chosen([applied(2.0), applied(2.1), recomputed(1.0)]) == "RECOMPUTE_CHEAPER"
    assert chosen([applied(0.5), applied(0.5), recomputed(1.0)]) == "CHANGE_SMALL"


def test_a_little_cheaper_is_no_reason_to_switch() -> None:
    assert chosen([applied(1.0), applied(1.0), recomputed(0.9), recomputed(0.9)]) == "CHANGE_SMALL"
    both = [recomputed(1.0), recomputed(1.0), applied(0.9), applied(0.9)]
    assert chosen(both) == "RECOMPUTE_CHEAPER"


def test_what_was_slow_once_is_forgotten() -> None:
    for later in (2, 8):
        history = [*[applied(0.5)] * later, applied(20.0), recomputed(1.0)]
        assert chosen(history) == "CHANGE_SMALL"


def test_what_was_made_once_for_later_refreshes_is_not_counted() -> None:
    slow = applied(20.0)
    made = replace(slow, measures={**slow.measures, "state_made_s": 19.5})
    assert chosen([made, made, recomputed(1.0)]) == "CHANGE_SMALL"
    assert chosen([slow, slow, recomputed(1.0)]) == "RECOMPUTE_CHEAPER"


def test_a_slow_machine_is_slow_for_both() -> None:
    found = choose_by_cost(BEFORE, LOAD, [applied(10.0)] * 5)
    assert found.action is Action.INCREMENTAL
    assert found.measures["estimate_full"] > 5


def test_what_makes_one_way_quick_need_not_help_the_other() -> None:
    large = Estimate(3.0, 2.0)
    measures = large.measures(PRIORS)
    quick = [replace(applied(seconds), measures=measures) for seconds in (0.15, 3.5)]
    fill = replace(past(Action.FULL, 2.5, "FIRST_FILL"), measures={})
    found = choose_by_cost(large, LOAD, [*quick, fill])
    assert found.reason == "CHANGE_SMALL"
    assert found.measures["estimate_full"] == 2.0


def test_the_way_not_taken_is_probed_if_it_may_be_cheaper() -> None:
    near = [*[applied(1.0)] * PROBE_EVERY, recomputed(1.1)]
    assert chosen(near) == "COST_PROBE"
    assert chosen([past(Action.FULL, 1.1, "COST_PROBE"), *near]) == "CHANGE_SMALL"
    assert chosen([*[applied(1.0)] * PROBE_EVERY, recomputed(9.0)]) == "CHANGE_SMALL"


def test_recomputing_is_tried_once_where_making_the_table_was_faster() -> None:
    fill = replace(past(Action.FULL, 3.0, "FIRST_FILL"), measures={})
    slow, quick = [applied(6.0), applied(6.0)], [applied(1.0), applied(1.0)]
    near = replace(fill, seconds=5.5)
    assert chosen([*slow, near]) == "COST_PROBE"
    assert chosen([*slow, fill]) == "RECOMPUTE_CHEAPER", "it takes no longer than making it took"
    assert chosen([*quick, fill]) == "CHANGE_SMALL"
    assert chosen([*slow[:1], fill]) == "CHANGE_SMALL", "the first is slow for many reasons"
    assert chosen([past(Action.FULL, 2.0, "COST_PROBE"), *slow, fill]) == "RECOMPUTE_CHEAPER"
    assert chosen([past(Action.FULL, 7.0, "COST_PROBE"), *slow, fill]) == "CHANGE_SMALL"


def test_both_estimates_are_told() -> None:
    found = choose_by_cost(BEFORE, LOAD, ())
    names = {f"{kind}_{way}" for kind in ("prior", "estimate") for way in ("incremental", "full")}
    assert set(found.measures) == names
    assert found.detail is not None
    assert "1,000 rows changed" in found.detail
    assert found.reason in REASONS


def test_what_was_recomputed_for_its_cost_alone() -> None:
    assert Decision(Action.FULL, "RECOMPUTE_CHEAPER").is_by_cost
    assert not Decision(Action.FULL, "MODE_FULL").is_by_cost
    assert not Decision(Action.INCREMENTAL, "COST_PROBE").is_by_cost
