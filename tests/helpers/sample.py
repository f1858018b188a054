"""Long lists of cases, each of which takes Spark seconds: `make test` runs some of them, `make slow` the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases as parameters, all but each so-and-so-manieth marked as slow."""
    return [
        pytest.param(case, marks=pytest.mark.slow if number % every else ())
        for number, case in enumerate(cases)
    ]
