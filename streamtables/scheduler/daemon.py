"""The daemon: a tick, a claim on the warehouse, a Spark session, and a clean end.

One daemon of a warehouse leads, others stand by: a lease of the registry says which. It only saves work: what is right
is guarded by each table's lock and by its commits. Spark starts when a daemon begins to lead, and again when it dies.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from logging import CRITICAL, Logger
from typing import TYPE_CHECKING, Any, Protocol

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from streamtables.catalog.base import PRIVATE, local_folder
from streamtables.catalog.lock import Lease, this_process
from streamtables.errors import RegistryUnreachable
from streamtables.refresh.fuse import Fuse
from streamtables.scheduler.due import Rules
from streamtables.scheduler.events import Event, Listener
from streamtables.scheduler.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamtables.catalog.base import Catalog
    from streamtables.config import DoctorSettings, Settings
    from streamtables.refresh.doctor import Checkup
    from streamtables.refresh.run import Refresher

LEASE = "daemon"


class Lake(Protocol):
    """The stream tables of a warehouse on a Spark session."""

    @property
    def refresher(self) -> Refresher:
        """What refreshes them."""

    def doctor(self, settings: DoctorSettings) -> Checkup:
        """Look for what is wrong or about to go wrong."""

    def close(self) -> None:
        """Let go of the registry; the session stays."""


@dataclass
class Daemon:
    """Keeps the stream tables of one warehouse fresh until told to stop."""

    settings: Settings
    catalog: Catalog
    opened: Callable[[], Lake]
    """Opens the warehouse on a Spark session, a new one where the last has died."""
    tell: Listener
    examined: Callable[[Checkup], None] = lambda _: None
    """Is told of each checkup."""
    _lake: Lake | None = None
    _rounds: Rounds | None = None
    _heart: threading.Thread | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _was_leading: bool | None = None
    _is_opening: bool = False

    def __post_init__(self) -> None:
        seconds, folder = self.settings.daemon.lease_seconds, local_folder(self.settings.warehouse)
        sign = folder / PRIVATE / "locks" / f"{LEASE}.lock" if folder else None
        self._lease = Lease(self.catalog, LEASE, seconds, sign)

    def run(self) -> bool:
        """Tick until a signal or `stop`; False if a refresh, or Spark's start, had to be left unfinished."""
        # That a tick is left out while the last one runs is no news, and what is news is told as an event.
        ticks = BackgroundScheduler(timezone="UTC", logger=Logger("ticks", CRITICAL))
        for job, seconds in (
            (self.tick, self.settings.daemon.tick_seconds),
            (self.prune, self.settings.history.prune_seconds),
            (self.examine, self.settings.doctor.every_seconds),
        ):
            every = IntervalTrigger(seconds=seconds, timezone="UTC")
            ticks.add_job(job, every, coalesce=True, max_instances=1, misfire_grace_time=None)
        self._say("started", process=this_process())
        with self._signals():
            ticks.start()
            # A wait without end would not be woken by signals on every system.
            while not self._stop.wait(0.2):
                pass
            return self._end(ticks)

    def stop(self, *_: object) -> None:
        """Ask it to end; also what SIGTERM and SIGINT do."""
        self._stop.set()
        if self._rounds is not None:
            self._rounds.stop()

    def tick(self) -> None:
        """One look: lead if nobody else does, keep Spark alive, begin what is due."""
        try:
            start = time.perf_counter()
            rounds = self._ready() if not self._stop.is_set() and self._leads() else None
            if rounds is not None and not self._stop.is_set():
                rounds.look()
                self._say("tick", "DEBUG", seconds=round(time.perf_counter() - start, 4))
        except Exception as error:  # noqa: BLE001 the next tick may fare better
            self._say("tick_failed", "ERROR", error=f"{type(error).__name__}: {error}")

    def prune(self) -> None:
        """Remove old history, if this daemon leads."""
        if self._lease.is_held():
            with suppress(RegistryUnreachable):
                rows = self.catalog.prune_history(self.settings.history.keep_rows)
                self._say("pruned", "DEBUG", rows=rows)

    def examine(self) -> None:
        """Let the doctor look, if this daemon leads."""
        lake = self._lake
        if lake is None or not self._lease.is_held():
            return
        try:
            found = lake.doctor(self.settings.doctor)
            self.examined(found)
            counts = Counter(one.code for one in found.findings if one.level != "note")
            self._say("examined", "WARNING" if counts else "DEBUG", **counts)
        except Exception as error:  # noqa: BLE001 the next look may fare better
            self._say("examination_failed", "ERROR", error=f"{type(error).__name__}: {error}")

    def _leads(self) -> bool:
        is_leading = self._lease.is_held() or self._lease.take()
        if is_leading and (self._heart is None or not self._heart.is_alive()):
            self._heart = threading.Thread(
                target=self._lease.keep, args=(self._stop,), name="lease", daemon=True
            )
            self._heart.start()
        if is_leading != self._was_leading:
            self._say("leads" if is_leading else "stands_by", process=this_process())
        self._was_leading = is_leading
        return is_leading

    def _ready(self) -> Rounds | None:
        """The rounds on a living session; None while those of a dead one come to their end."""
        if self._rounds is not None and self._lake is not None:
            if self._lake.refresher.engine.is_alive():
                return self._rounds
            if not self._rounds.wait(0):
                return None
            self._say("spark_died", "ERROR")
            self._rounds.close()
            self._lake.close()
        self._lake = self._rounds = None
        self._is_opening = True
        try:
            lake = self.opened()
        finally:
            self._is_opening = False
        retry, daemon = self.settings.retry, self.settings.daemon
        rules = Rules(
            zone=daemon.timezone,
            jitter_s=daemon.jitter_seconds,
            tries=retry.attempts,
            first_pause_s=retry.first_seconds,
            longest_pause_s=retry.most_seconds,
        )
        refresher = replace(lake.refresher, fuse=Fuse(daemon.fuse_share, daemon.fuse_rows))
        self._lake, self._rounds = lake, Rounds(refresher, rules, daemon.workers, self.tell)
        self._say("spark_started")
        if self._stop.is_set():
            self._rounds.stop()
        return self._rounds

    def _end(self, ticks: BackgroundScheduler) -> bool:
        self._say("stopping")
        ticks.shutdown(wait=False)
        is_done = not self._is_opening  # a start of Spark has nothing to finish
        if self._rounds is not None and self._lake is not None:
            self._rounds.stop()
            is_done = self._rounds.wait(self.settings.daemon.stop_seconds)
            if not is_done:  # its commit is one step: done, or never begun
                self._say("left_unfinished", "WARNING")
                self._lake.refresher.engine.abandon()
            self._rounds.close()
        if self._heart is not None:
            self._heart.join()
        self._lease.drop()
        self._say("stopped")
        return is_done

    @contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: Mapping[int, Any] = {
            number: signal.signal(number, self.stop) for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _say(self, name: str, level: str = "INFO", **fields: Any) -> None:
        self.tell(Event(name, level, fields))
