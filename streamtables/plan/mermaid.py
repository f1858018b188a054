"""A graph as Mermaid text, which GitHub, notebooks and many editors draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def flowchart(
    boxes: Mapping[str, str],
    arrows: Iterable[tuple[str, str]],
    *,
    direction: str = "BT",
    drums: Collection[str] = (),
) -> str:
    """A flowchart: what each box says, by its id, and which leads to which; `drums` have that shape.

    >>> print(flowchart({"a": "x < 1", "b": "t"}, [("b", "a")], drums=["b"]))
    flowchart BT
      a["x #lt; 1"]
      b[("t")]
      b --> a
    """
    lines = [f"flowchart {direction}"]
    for name, text in boxes.items():
        opens, closes = ("[(", ")]") if name in drums else ("[", "]")
        lines.append(f'  {name}{opens}"{_escaped(text)}"{closes}')
    return "\n".join([*lines, *(f"  {source} --> {target}" for source, target in arrows)])


def _escaped(text: str) -> str:
    """Text as a label takes it: Mermaid has entities of its own, written with # instead of &."""
    for sign, entity in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(sign, entity)
    return text.replace("\n", "<br/>")
