"""The last refreshes of a stream table as bars: height by seconds, colour by what was done."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from streamtables.model import Action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import Refresh

BARS = 40
_WIDTH, _HEIGHT, _STEP = 5, 36, 7
KINDS = {
    Action.NO_DATA: "none",
    Action.INCREMENTAL: "incremental",
    Action.FULL: "full",
    Action.REINITIALIZE: "full",
    Action.SKIPPED: "none",
    Action.FAILED: "failed",
    Action.UPSTREAM_FAILED: "failed",
}


def chart(history: Sequence[Refresh]) -> str:
    """SVG of the last refreshes, the newest at the right; a bar's title tells what it was."""
    shown = list(reversed(history[:BARS]))
    most = max((_scaled(one.seconds) for one in shown), default=0.0) or 1.0
    start = (BARS - len(shown)) * _STEP
    bars = [
        _bar(one, start + number * _STEP, _scaled(one.seconds) / most)
        for number, one in enumerate(shown)
    ]
    width = BARS * _STEP
    return (
        f'<svg class="chart" role="img" aria-label="The last {len(shown)} refreshes" width="{width}" '
        f'height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}">'
        f'<path class="base" d="M0,{_HEIGHT - 0.5} h{width}"/>{"".join(bars)}</svg>'
    )


def _scaled(seconds: float) -> float:
    """Refreshes take from a millisecond to hours: orders of magnitude, not seconds, are to be seen."""
    return math.log10(1 + max(seconds, 0) * 1000)


def _bar(one: Refresh, x: int, share: float) -> str:
    height = max(share * (_HEIGHT - 4), 2)
    title = (
        f"{one.started_at:%Y-%m-%d %H:%M:%S} {one.action.value} {one.reason}: {one.seconds:.3g} s, "
        f"+{one.rows_inserted} −{one.rows_deleted} rows"
    )
    return (
        f'<rect class="{KINDS[one.action]}" x="{x}" y="{_HEIGHT - 1 - height:.1f}" width="{_WIDTH}" '
        f'height="{height:.1f}" rx="1"><title>{escape(title)}</title></rect>'
    )
