"""The style sheets and the script of the page, which lie beside this module."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def style(name: str) -> str:
    """A style sheet by its name."""
    return (files("streamtables.page") / f"{name}.css").read_text(encoding="utf-8")


@cache
def script() -> str:
    """What keeps the page fresh while it is looked at."""
    return (files("streamtables.page") / "page.js").read_text(encoding="utf-8")
