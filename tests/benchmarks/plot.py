"""Seconds against base size as an SVG drawing, both axes logarithmic."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from math import log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH, HEIGHT, MARGIN, LEGEND = 640, 400, 50, 180
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777")


def plot(records: Sequence[dict[str, Any]]) -> str:
    """One line per view: whole for the refresh, dashed for the recompute."""
    lines: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for record in sorted(records, key=lambda r: float(r["base"])):
        for way in ("refresh", "full"):
            lines[record["view"], way].append((record["base"], record["seconds"][way]))
    points = [point for line in lines.values() for point in line]
    place = _scale([x for x, _ in points], [y for _, y in points])
    views = sorted({view for view, _ in lines})
    parts = [*_axes(points, place), *_drawn(lines, views, place)]
    size = f'width="{WIDTH + LEGEND}" height="{HEIGHT}" font-family="sans-serif" font-size="11"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n' + "\n".join(parts) + "\n</svg>\n"


def _drawn(lines: dict[tuple[str, str], Any], views: Sequence[str], place: Any) -> Iterable[str]:
    for number, view in enumerate(views):
        colour = COLOURS[number % len(COLOURS)]
        for way, dash in (("refresh", ""), ("full", ' stroke-dasharray="3 4"')):
            path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in lines[view, way])
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>'
            for x, y in (place(*point) for point in lines[view, way]):
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>'
        y = MARGIN + 16 * number
        yield f'<text x="{WIDTH + 10}" y="{y}" fill="{colour}">{escape(view)}</text>'
    yield f'<text x="{WIDTH + 10}" y="{HEIGHT - 20}">whole: refresh, dashed: full</text>'


def _axes(points: Sequence[tuple[float, float]], place: Any) -> Iterable[str]:
    for x in sorted({x for x, _ in points}):
        yield f'<text x="{place(x, 1)[0]:.1f}" y="{HEIGHT - 20}">{x:.0e} rows</text>'
    for exponent in range(-3, 5):
        x, y = place(points[0][0], 10.0**exponent)
        if MARGIN <= y <= HEIGHT - MARGIN:
            yield f'<text x="5" y="{y:.1f}">{10.0**exponent:g} s</text>'
            yield f'<line x1="{MARGIN}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'


def _scale(xs: Sequence[float], ys: Sequence[float]) -> Any:
    """From a size and seconds to a place in the drawing."""
    (x0, x1), (y0, y1) = ((log10(min(v)), log10(max(v))) for v in (xs, ys))

    def place(x: float, y: float) -> tuple[float, float]:
        right = (log10(x) - x0) / ((x1 - x0) or 1)
        up = (log10(max(y, 1e-3)) - y0) / ((y1 - y0) or 1)
        return MARGIN + right * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)

    return place
