"""The tables of a graph refreshed at one moment: each after those it reads, independent ones side by side.

A failure keeps back the tables that read the failed one, and no others.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from streamtables.errors import Busy
from streamtables.model import Action, Status
from streamtables.refresh.graph import reads, upstream
from streamtables.refresh.moment import Moment, MomentPassed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamtables.model import Refresh, StreamTable
    from streamtables.refresh.attempt import Ended
    from streamtables.refresh.run import Refresher

T = TypeVar("T")

# Most tables have no news, and a look at one takes a millisecond or two: two at once only wait for each other. So the
# next table is begun beside those that turn out to have work.
_HEAD_START_S = 0.02

# So often a graph is begun anew because others have brought its tables further meanwhile.
_TRIES = 10

# Why a table is kept back: status, action and reason code.
_KEPT_BACK = {
    Status.PAUSED: (Action.SKIPPED, "PAUSED"),
    Status.SUSPENDED: (Action.SKIPPED, "SUSPENDED"),
}


@dataclass(frozen=True)
class FanOut:
    """How graphs are refreshed: how many tables at once, which of them, and until when."""

    refresher: Refresher
    parallel: int = 1
    heeds_status: bool = False
    """Whether paused and suspended tables are left alone, with those that read them."""
    may_start: Callable[[], bool] = lambda: True
    slots: AbstractContextManager[object] = field(default_factory=nullcontext)
    """Held while a table is refreshed, by those who limit several graphs together."""
    told: Callable[[Ended], None] = lambda _: None
    """Called with each end, while others go on."""

    def refresh(
        self,
        chosen: Callable[[Sequence[StreamTable]], list[StreamTable]],
        asked: Mapping[str, Action] = MappingProxyType({}),
    ) -> dict[str, Ended]:
        """Refresh the tables that are chosen of all: how each ended, by its key, in the order of the graph.

        FULL or REINITIALIZE may be asked for, by a table's key.
        """

        def once() -> dict[str, Ended]:
            every = self.refresher.catalog.tables()
            tables = chosen(every)
            return self._walk(tables, self._moment(tables, every), asked)

        return _while_it_passes(once)

    def refresh_one(self, table: StreamTable, asked: Action | None = None) -> Refresh:
        """Refresh a table after those it reads; raises what failed first."""
        key = table.name.key
        ended = self.refresh(lambda every: upstream(table, every), {key: asked} if asked else {})
        for one in ended.values():
            if one.error is not None:
                raise one.error
        return ended[key].refresh

    def over_upstream(self, table: StreamTable, do: Callable[[Moment], T]) -> T:
        """Bring what a table reads to one moment, and do something with the table there."""

        def once() -> T:
            every = self.refresher.catalog.tables()
            tables = upstream(table, every)
            moment = self._moment(tables, every)
            for ended in self._walk(tables[:-1], moment, {}).values():
                if ended.error is not None:
                    raise ended.error
            return do(moment)

        return _while_it_passes(once)

    def _moment(self, tables: Sequence[StreamTable], every: Sequence[StreamTable]) -> Moment:
        return Moment(self.refresher.engine, self.refresher.now, tables, every)

    def _walk(
        self, tables: Sequence[StreamTable], moment: Moment, asked: Mapping[str, Action]
    ) -> dict[str, Ended]:
        by_key = {table.name.key: table for table in tables}
        sorter = TopologicalSorter({key: reads(by_key[key]) & by_key.keys() for key in by_key})
        sorter.prepare()
        ended: dict[str, Ended] = {}
        ready: list[str] = []
        running: dict[Future[Ended], str] = {}

        def one(key: str) -> Ended:
            found = self._one(by_key[key], moment, ended, asked.get(key))
            self.told(found)
            return found

        with ThreadPoolExecutor(self.parallel, thread_name_prefix="refresh") as pool:
            while True:
                ready = [*ready, *sorter.get_ready()] if self.may_start() else []
                if ready and not running and (len(ready) == 1 or self.parallel == 1):
                    key = ready.pop(0)  # nothing to do beside it
                    ended[key] = one(key)
                    sorter.done(key)
                    continue
                while ready and len(running) < self.parallel:
                    key = ready.pop(0)
                    running[pool.submit(one, key)] = key
                    if wait(running, _HEAD_START_S, FIRST_COMPLETED).done:
                        break
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    key = running.pop(future)
                    ended[key] = future.result()
                    sorter.done(key)
        return {key: ended[key] for key in by_key if key in ended}

    def _one(
        self,
        table: StreamTable,
        moment: Moment,
        ended: Mapping[str, Ended],
        asked: Action | None,
    ) -> Ended:
        if self.heeds_status and table.status in _KEPT_BACK:
            return self.refresher.skip(table, *_KEPT_BACK[table.status], table.message)
        for key in sorted(reads(table) & ended.keys()):
            above = ended[key].refresh
            if above.action.is_failure or above.reason == "SUSPENDED":
                return self.refresher.skip(
                    table, Action.UPSTREAM_FAILED, "UPSTREAM_FAILED", f"{above.name} failed"
                )
            if above.action is Action.SKIPPED:
                return self.refresher.skip(
                    table, Action.SKIPPED, "UPSTREAM_PAUSED", f"{above.name} is kept back"
                )
        with self.slots:
            return self.refresher.refresh(table, moment, asked)


def _while_it_passes(once: Callable[[], T]) -> T:
    for _ in range(_TRIES):
        try:
            return once()
        except MomentPassed as passed:
            last = passed
    raise Busy(
        f"Others refresh the same tables, and were ahead {_TRIES} times: {last}",
        hint="Try again, or leave the refreshing to one of them.",
    )
