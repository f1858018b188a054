"""The daemon in the foreground, as systemd and containers want it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from streamtables.cli.opening import settings_of, started
from streamtables.cli.options import RegistryUrl, Warehouse

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.api import StreamTables
    from streamtables.config import Settings
    from streamtables.scheduler.events import Event
    from streamtables.scheduler.tracing import Steps


def run(
    settings: Annotated[
        Optional[str],
        typer.Option("--settings", envvar="STREAMTABLES_SETTINGS", help="A settings file (TOML)."),
    ] = None,
    warehouse: Warehouse = None,
    registry: RegistryUrl = None,
    master: Annotated[
        Optional[str],
        typer.Option("--master", help="Where Spark runs: spark://host:7077, yarn, sc://host, …"),
    ] = None,
) -> None:
    """Keep the stream tables fresh as their schedules say, until SIGTERM or Ctrl-C.

    Example: streamtables run --settings streamtables.toml
    """
    from streamtables.catalog.registry import Registry
    from streamtables.page.sending import Sender
    from streamtables.scheduler.daemon import Daemon
    from streamtables.scheduler.events import Event, to_all, to_stream
    from streamtables.scheduler.metrics import Metrics
    from streamtables.scheduler.tracing import Steps

    chosen = _on(master, settings_of(warehouse, registry, settings))
    steps = Steps()
    catalog = Registry.open(chosen.warehouse, chosen.registry or None)
    metrics = Metrics(catalog, chosen.daemon.timezone)
    log = to_stream(sys.stderr, chosen.log.format, chosen.log.level)

    def undelivered(words: str) -> None:
        log(Event("lineage_undelivered", "WARNING", {"error": words}))

    sender = Sender(catalog, chosen.lineage, undelivered)
    stop = metrics.serve(chosen.metrics, chosen.warehouse, log)
    tell = to_all(log, metrics.hear, partial(_trace, steps), lambda event: sender(event.refresh))
    daemon = Daemon(chosen, catalog, partial(_opened, chosen, steps), tell, metrics.examined)
    is_done = daemon.run()
    stop()
    # With [daemon] stop_seconds less than the half minute that services are given.
    sender.close(2.0)
    catalog.close()
    if not is_done:
        # Threads of the refresh that was left would hold up the end of this process.
        os._exit(0)


def _on(master: str | None, settings: Settings) -> Settings:
    """The settings, with another place for Spark to run if one is given."""
    return replace(settings, spark=replace(settings.spark, master=master)) if master else settings


def _trace(steps: Steps, event: Event) -> None:
    from streamtables.scheduler.tracing import trace_refresh

    if event.refresh is not None:
        trace_refresh(event.refresh, steps.taken())


def _opened(settings: Settings, observe: Callable[[str], None]) -> StreamTables:
    """The warehouse on a Spark session, a new one where the last has died."""
    from streamtables.spark.health import forget_dead

    forget_dead()
    return started(settings, observe)
