"""The laws, on random tables, queries and changes; `python tests/laws.py` runs thousands."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from helpers.laws import (
    batches_add_up,
    inverse_returns,
    never_negative,
    nothing_from_nothing,
    same_as_full,
    twice_is_once,
)
from helpers.random_queries import random_script
from helpers.shrink import shrink
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamtables.errors import NegativeCount
from streamtables.rules import except_

if TYPE_CHECKING:
    from streamtables.testing.random_tables import Script

pytestmark = pytest.mark.long
# A share of the profile's number: each example is a query and several refreshes.
EXAMPLES = max(6, settings.default.max_examples // 10)


def scripts(batch_count: int = 2) -> st.SearchStrategy[Script]:
    """Random scripts; Hypothesis draws, and shrinks, every choice made on the way."""
    return st.randoms(use_true_random=False).map(lambda rng: random_script(rng, batch_count))


law = settings(max_examples=EXAMPLES, suppress_health_check=[*HealthCheck])


@law
@given(scripts())
def test_same_as_full(script: Script) -> None:
    same_as_full(script)


@law
@given(scripts(1))
def test_nothing_from_nothing(script: Script) -> None:
    nothing_from_nothing(script)


@law
@given(scripts())
def test_batches_add_up(script: Script) -> None:
    batches_add_up(script)


@law
@given(scripts())
def test_twice_is_once(script: Script) -> None:
    twice_is_once(script)


@law
@given(scripts())
def test_never_negative(script: Script) -> None:
    never_negative(script)


@law
@given(scripts())
def test_inverse_returns(script: Script) -> None:
    inverse_returns(script)


@pytest.mark.parametrize("seed", range(20))
def test_every_batch_changes_two_tables(seed: int) -> None:
    script = random_script(Random(seed))
    for batch in script.batches:
        assert (
            len({table.name for table in script.tables for text in batch if table.name in text})
            >= 2
        )


def test_a_failure_shrinks_to_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(except_, "greatest", lambda left, _: left)

    def fails(script: Script) -> bool:
        try:
            same_as_full(script)
        except (AssertionError, NegativeCount):
            return True
        except Exception:  # noqa: BLE001 - a smaller text need not be a query
            return False
        return False

    scripts = (random_script(Random(seed), 1, 1) for seed in range(1000))
    found = next(script for script in scripts if "EXCEPT ALL" in script.query and fails(script))
    small = shrink(found, fails)
    assert fails(small)
    assert len(str(small)) < 400
