"""An explanation as a page: the query's operators as a graph, and the steps of its refresh."""

from __future__ import annotations

from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING

from streamtables.page.graph import drawing
from streamtables.page.page import document

if TYPE_CHECKING:
    from streamtables.refresh.explained import Explanation

_FITS = 28


def picture(found: Explanation) -> str:
    """The operators from the sources to the table, each with its kind of rule; empty where there are no rules."""
    if not found.operators:
        return ""
    names = [
        f"{number}  {shorten(one.operator, _FITS, placeholder=' …')}"
        for number, one in enumerate(found.operators, 1)
    ]
    looks = {found.name: ("good", found.action)}
    above: list[str] = []
    arrows = []
    for name, one in zip(names, found.operators, strict=True):
        looks[name] = ("source" if one.kind == "leaf" else "plain", one.kind or "")
        arrows.append((name, above[one.depth - 1] if one.depth else found.name))
        above[one.depth :] = [name]
    return drawing(looks, arrows, f"The operators of {found.name}")


def explanation_page(found: Explanation) -> str:
    """The picture with all that the explanation says, as a page that needs nothing but a browser."""
    said, _, _ = str(found).partition("\n\n")
    steps = "".join(
        f"<article><h2>{escape(step.name)}</h2><p class=did>{escape(step.note)}</p><pre>{escape(step.tree)}</pre>"
        f"<details><summary>SQL</summary><pre>{escape(step.sql)}</pre></details></article>"
        for step in found.steps
    )
    drawn = picture(found)
    body = (
        f"<header><h1>{escape(found.name)}</h1></header><section class=panel><pre>{escape(said)}</pre></section>"
        f"{f'<section class=panel>{drawn}</section>' if drawn else ''}"
        f"<section class=steps>{steps}</section>"
    )
    return document(found.name, body, "")
