"""The rule of WHERE and HAVING."""

from __future__ import annotations

from helpers.plans import shown


def test_the_filter_is_applied_to_the_change() -> None:
    assert (
        shown("SELECT id FROM l WHERE k > 1", "l")
        == """change :=
  Filter (`_weight`) <> 0
    Aggregate BY (id_2) SUM(`_weight`) AS _weight
      Project `id` AS id_2, _weight
        Filter `k` > 1
          Changed `l` (id, k)"""
    )
