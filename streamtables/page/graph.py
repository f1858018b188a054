"""The graph of tables as a picture that needs nothing but a browser."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from streamtables.page.layout import HEIGHT, layout
from streamtables.page.looks import style

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamtables.page.layout import Box
    from streamtables.page.lineage import Lineage

_FITS = 36


def graph(lineage: Lineage, states: Mapping[str, tuple[str, str]] | None = None) -> str:
    """Tables and who reads whom; `states` gives a stream table's state and the line below its name."""
    states = states or {}
    looks = {
        name: ("plain", "") if name in lineage.streams else ("source", "source")
        for name in lineage.tables
    }
    return drawing({**looks, **states}, lineage.reads, "The graph of tables", linked=states.keys())


def drawing(
    looks: Mapping[str, tuple[str, str]],
    arrows: Sequence[tuple[str, str]],
    label: str,
    linked: Collection[str] = (),
) -> str:
    """SVG in its own scroll box: a box for each name, with its kind and the line below, and arrows between them."""
    placed = layout(tuple(looks), arrows)
    lines = [_arrow(path) for path in placed.arrows]
    boxes = [
        _box(name, placed.boxes[name], kind, below, is_linked=name in linked)
        for name, (kind, below) in looks.items()
    ]
    return (
        f'<div class="st-graph"><style>{style("graph")}</style>'
        f'<svg role="img" aria-label="{escape(label)}" width="{placed.width:.0f}" '
        f'height="{placed.height:.0f}" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}">'
        f"{''.join(lines)}{''.join(boxes)}</svg></div>"
    )


def anchor(name: str) -> str:
    """The id of a table's part of the page."""
    return "t-" + "".join(sign if sign.isalnum() else f"-{ord(sign):x}-" for sign in name)


def _arrow(path: Sequence[Box]) -> str:
    """A line from box to box, level where it passes others, with a head at its end."""
    first, last = path[0], path[-1]
    line, x, y = (
        f"M{first.x + first.width:.1f},{first.middle:.1f}",
        first.x + first.width,
        first.middle,
    )
    for box in path[1:]:
        end = box.x - 6 if box is last else box.x
        bend = (end - x) / 2
        line += (
            f" C{x + bend:.1f},{y:.1f} {end - bend:.1f},{box.middle:.1f} {end:.1f},{box.middle:.1f}"
        )
        if box is not last:
            line += f" H{box.x + box.width:.1f}"
        x, y = box.x + box.width, box.middle
    return (
        f'<path class="st-arrow" d="{line}"/>'
        f'<path class="st-head" d="M{last.x:.1f},{last.middle:.1f} l-7,-4 v8 z"/>'
    )


def _box(name: str, box: Box, kind: str, below: str, *, is_linked: bool) -> str:
    middle = box.y + (19 if below else 28)
    label = f'<text class="st-name" x="{box.x + 22:.1f}" y="{middle:.1f}">{_short(name)}</text>'
    if below:
        label += f'<text class="st-below" x="{box.x + 22:.1f}" y="{box.y + 35:.1f}">{_short(below)}</text>'
    shape = (
        f'<rect class="st-box" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{HEIGHT}" rx="8"/>'
        f'<circle class="st-dot" cx="{box.x + 12:.1f}" cy="{middle - 4:.1f}" r="4"/>'
    )
    drawn = f'<g class="st-{kind}"><title>{escape(f"{name}: {below}" if below else name)}</title>{shape}{label}</g>'
    return f'<a href="#{anchor(name)}">{drawn}</a>' if is_linked else drawn


def _short(text: str) -> str:
    return escape(text if len(text) <= _FITS else f"{text[: _FITS - 1]}…")
