"""What a comparison says."""

from __future__ import annotations

from streamtables.refresh.verify import Verification


def test_differing_rows_are_told_with_their_sign() -> None:
    rows = ({"k": "a", "x": None, "_weight": 1}, {"k": "b", "x": 2, "_weight": -3})
    assert str(Verification("s.t", 1, 3, rows)).splitlines() == [
        "s.t differs from its query: 1 rows missing (+), 3 unexpected (-)",
        "  + k=a, x=NULL",
        "  - k=b, x=2  (3 times)",
    ]
    assert str(Verification("s.t", 0, 0)) == "s.t equals its query"
