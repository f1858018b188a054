"""The test kit: stream tables under test, as files of SQL or in Python; `plugin` brings it into pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamtables.testing.random_case import assert_incremental_equals_full

__all__ = ["assert_incremental_equals_full"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: pytest imports this package in every run, also of other projects."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from streamtables.testing import random_case

    return getattr(random_case, name)
