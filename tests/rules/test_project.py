"""The rule of the SELECT list."""

from __future__ import annotations

from helpers.plans import shown


def test_items_are_computed_for_the_change_and_consolidated() -> None:
    assert (
        shown("SELECT id + 1 AS next FROM l", "l")
        == """change :=
  Filter (`_weight`) <> 0
    Aggregate BY (next) SUM(`_weight`) AS _weight
      Project `id` + 1 AS next, _weight
        Changed `l` (id)"""
    )
