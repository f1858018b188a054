"""The files of a table's versions, followed commit by commit from the first: Delta's own list costs a Spark job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Held = dict[str, "Mapping[str, Any]"]

# So long a piece of a log is read here; of a longer one Delta's checkpoints spare the most.
MOST_TEXT = 50_000_000


class Files:
    """The add actions of one version, by path."""

    def __init__(self) -> None:
        # Set in one go: refreshes of several tables that read this one ask at once.
        self._known: tuple[int, object, Held] = (-1, None, {})

    def set(self, version: int, mark: object, held: Held) -> Held:
        """Remember a version; `mark` tells its commit from another of the same number."""
        self._known = (version, mark, held)
        return held

    def followed(
        self,
        newest: int,
        mark: Callable[[int], object],
        texts: Callable[[int, int], Iterable[tuple[int, str]]],
    ) -> Held | None:
        """The files of a version; None where its commits are not all there, or too long."""
        known, known_mark, known_held = self._known
        if not 0 <= known <= newest or known_mark is None or known_mark != mark(known):
            known, known_held = -1, {}
        held, read = dict(known_held), 0
        for version, text in texts(known + 1, newest):
            read += len(text)
            if version != known + 1 or read > MOST_TEXT:
                return None
            known = version
            _follow(held, text)
        return self.set(newest, mark(newest), held) if known == newest else None


def _follow(held: Held, text: str) -> None:
    """Bring the files of a version to those of the next, whose commit this is."""
    actions = [json.loads(line) for line in text.splitlines() if line.strip()]
    for action in actions:
        if "remove" in action:
            held.pop(action["remove"]["path"], None)
    for action in actions:
        if "add" in action:
            held[action["add"]["path"]] = action["add"]
