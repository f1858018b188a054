"""Processes that die at a named point, in truth or in effect.

The points are those that a refresh tells `observe`, and, by `watched`, the moments before and after
every call to the lake and to the registry: all that is durable is done by one of these calls.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamtables
from streamtables.testing.session import short_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Observe = "Callable[[str], None]"


class Killed(BaseException):
    """The end of the process, as far as our code can see: nothing of ours catches it."""


def dies_at(point: str) -> Callable[[str], None]:
    """An `observe` that ends the process, in effect, at a point."""

    def observe(reached: str) -> None:
        if reached == point:
            raise Killed(point)

    return observe


def watched(
    st: streamtables.StreamTables, observe: Callable[[str], None]
) -> streamtables.StreamTables:
    """The stream tables with every call to lake and registry told: `engine.create`, then `engine.create done`."""
    st.engine = _Watched(st.engine, "engine", observe)  # type: ignore[assignment]
    st.catalog = _Watched(st.catalog, "catalog", observe)  # type: ignore[assignment]
    refresher = st.refresher
    st.refresher = replace(refresher, engine=st.engine, catalog=st.catalog, observe=observe)
    return st


class _Watched:
    def __init__(self, inner: Any, name: str, observe: Callable[[str], None]) -> None:
        self._inner, self._name, self._observe = inner, name, observe

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._inner, attribute)
        if not callable(value):
            return value
        point = f"{self._name}.{attribute}"

        def call(*arguments: Any, **named: Any) -> Any:
            self._observe(point)
            found = value(*arguments, **named)
            self._observe(f"{point} done")
            return self._opened(found) if point == "engine.work" else found

        return call

    @contextmanager
    def _opened(self, work: Any) -> Iterator[Any]:
        with work as opened:
            yield _Watched(opened, "work", self._observe)


# What a process is doing when it is killed: the verb, its arguments, and the point.
SCENES = {
    "refresh_before_commit": ("refresh", ("agg_0",), "work.commit"),
    "refresh_after_commit": ("refresh", ("agg_1",), "committed"),
    "refresh_before_note": ("refresh", ("joined_0",), "catalog.note"),
    "refresh_after_note": ("refresh", ("bag_0",), "unlock"),
    "create_before_fill": ("create_stream_table", ("new_0", "NEW"), "engine.create"),
    "create_after_fill": ("create_stream_table", ("new_1", "NEW"), "create:register"),
    "create_after_register": ("create_stream_table", ("new_2", "NEW"), "create:note"),
    "alter_after_write": ("alter_stream_table", ("altered_0", "OTHER"), "engine.replace done"),
    "alter_after_register": ("alter_stream_table", ("altered_1", "OTHER"), "catalog.update done"),
    "drop_before": ("drop_stream_table", ("dropped_0",), "engine.drop"),
    "drop_after": ("drop_stream_table", ("dropped_1",), "engine.drop done"),
}


def main(warehouse: str, schema: str, new: str, other: str) -> None:
    """Bring every scene to its point, then kill this process with all of them under way."""
    from helpers.interleaving import Actor

    spark = short_session(warehouse, memory="1g")
    actors = []
    for verb, arguments, point in SCENES.values():
        name, *query = arguments

        def act(observe: Any, verb: str = verb, name: str = name, query: Any = query) -> None:
            st = watched(streamtables.StreamTables(spark, warehouse), observe)
            texts = {"query": {"NEW": new, "OTHER": other}[query[0]]} if query else {}
            getattr(st, verb)(f"{schema}.{name}", **texts)

        actors.append(Actor(act).until(point))
    Path(warehouse, "reached").write_text("\n".join(SCENES), "utf-8")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
