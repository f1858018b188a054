"""The rule of explode and its like."""

from __future__ import annotations

from helpers.plans import shown


def test_the_change_is_exploded_with_its_weights() -> None:
    text = shown("SELECT id, explode(sequence(1, k)) AS x FROM l", "l")
    assert "Generate EXPLODE(SEQUENCE(1, `k`)) AS x\n            Changed `l` (id, k)" in text
    assert "Scan" not in text
