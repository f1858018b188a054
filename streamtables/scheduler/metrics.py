"""What Prometheus reads: counters of this process, and what the registry says at the moment of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, make_wsgi_app
from prometheus_client.core import GaugeMetricFamily

from streamtables.catalog.base import utc_now
from streamtables.catalog.status import targets_s
from streamtables.checks import failing_of
from streamtables.config import MetricsSettings
from streamtables.errors import InvalidSettings, RegistryUnreachable
from streamtables.model import Action, Status
from streamtables.page.serve import Pages
from streamtables.page.web import Served, site, url
from streamtables.scheduler.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from wsgiref.types import WSGIApplication

    from prometheus_client.core import Metric

    from streamtables.catalog.base import CatalogReader
    from streamtables.model import Refresh
    from streamtables.refresh.doctor import Checkup
    from streamtables.scheduler.events import Listener

_OUTCOMES = {Action.FAILED: "failed", Action.UPSTREAM_FAILED: "failed", Action.SKIPPED: "skipped"}
_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Metrics:
    """The metrics of one daemon."""

    def __init__(
        self,
        catalog: CatalogReader,
        zone: str = "UTC",
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Over a registry whose cron schedules are in a time zone."""
        self._catalog, self._zone, self._clock = catalog, zone, clock
        self.registry = CollectorRegistry()
        self.registry.register(_Tables(catalog, zone, clock))
        self._duration = Histogram(
            "streamtables_refresh_duration_seconds",
            "How long refreshes took.",
            ["action"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._refreshes = self._counter("refresh", "Attempts to refresh.", "action status reason")
        self._rows = self._counter("rows_changed", "Rows of stream tables.", "op")
        self._failing = self._counter(
            "rows_failing", "Rows that failed a data check.", "table check"
        )
        self._headroom = self._gauge(
            "source_retention_headroom_seconds",
            "For how long a source keeps what a table has yet to take in.",
            "table source",
        )
        self._tick = self._gauge("scheduler_tick_seconds", "How long the newest tick took.")
        self._leader = self._gauge("leader", "1 where this daemon decides what is due.")

    def hear(self, event: Event) -> None:
        """Count what the daemon tells."""
        if event.refresh is not None:
            self.refreshed(event.refresh)
        elif event.name == "tick":
            self.ticked(event.fields["seconds"])
        elif event.name in ("leads", "stands_by", "stopped"):
            self.leads(event.name == "leads")

    def refreshed(self, refresh: Refresh) -> None:
        """Count an attempt, a skip or a failure."""
        action = refresh.action.value
        self._refreshes.labels(action, _OUTCOMES.get(refresh.action, "ok"), refresh.reason).inc()
        if refresh.action not in (Action.SKIPPED, Action.UPSTREAM_FAILED):
            self._duration.labels(action).observe(refresh.seconds)
        self._rows.labels("insert").inc(refresh.rows_inserted)
        self._rows.labels("delete").inc(refresh.rows_deleted)
        for check, rows in failing_of(refresh.measures).items():
            self._failing.labels(refresh.name, check).inc(rows)

    def ticked(self, seconds: float) -> None:
        """The scheduler has looked at all tables."""
        self._tick.set(seconds)

    def leads(self, is_leader: bool) -> None:
        """This daemon decides what is due, or stands by."""
        self._leader.set(is_leader)

    def examined(self, checkup: Checkup) -> None:
        """The doctor has looked at all tables."""
        self._headroom.clear()
        for row in checkup.headroom:
            self._headroom.labels(row.name, row.source).set(row.seconds)

    def serve(
        self, settings: MetricsSettings, title: str = "", tell: Listener = lambda _: None
    ) -> Callable[[], None]:
        """Answer at http://host:port/metrics, and at / with the page, in threads; gives what stops it."""
        if not settings.port:
            return lambda: None
        host, token = settings.host, settings.token
        pages = Pages(self._catalog, title, host, token, self._zone, self._clock)
        application = site(pages, {"/metrics": make_wsgi_app(self.registry)})
        served = _served(application, settings, tell)
        # A token of the settings is known to those who may have it, and stays out of the log.
        address = url(host, served.port, "" if token else pages.token)
        tell(Event("serves", fields={"address": address}))
        return served.stop

    def _counter(self, name: str, text: str, labels: str = "") -> Any:
        return Counter(f"streamtables_{name}", text, labels.split(), registry=self.registry)

    def _gauge(self, name: str, text: str, labels: str = "") -> Any:
        return Gauge(f"streamtables_{name}", text, labels.split(), registry=self.registry)


class _Tables:
    """Gauges that are computed when asked for, so that they are right even while no refresh ends."""

    def __init__(
        self,
        catalog: CatalogReader,
        zone: str,
        clock: Callable[[], datetime],
    ) -> None:
        self._catalog, self._zone, self._clock = catalog, zone, clock

    def collect(self) -> Iterator[Metric]:
        """The families, for prometheus_client; without tables while the registry does not answer."""
        lag = _family("lag_seconds", "The age of the data in a table.", "table")
        target = _family("target_lag_seconds", "How old its data may be.", "table")
        failures = _family("consecutive_failures", "Failures since the last success.", "table")
        status = _family("table_status", "1 for the status that a table has.", "table status")
        up = _family("registry_up", "1 while the registry answers.")
        try:
            tables, frontiers = self._catalog.tables(), self._catalog.frontiers()
            attempts = self._catalog.attempts()
        except RegistryUnreachable:
            tables, frontiers, attempts = [], {}, {}
            up.add_metric([], 0)
        else:
            up.add_metric([], 1)
        now = self._clock()
        targets = targets_s(tables, now, self._zone)
        for table in tables:
            name = str(table.name)
            frontier = frontiers.get(table.id)
            if frontier is not None and frontier.data_timestamp is not None:
                lag.add_metric([name], (now - frontier.data_timestamp).total_seconds())
            if table.name.key in targets:
                target.add_metric([name], targets[table.name.key])
            last = attempts.get(table.id)
            failures.add_metric([name], last.failures if last else 0)
            for one in Status:
                status.add_metric([name, one.value], one is table.status)
        yield from (lag, target, failures, status, up)


def _served(application: WSGIApplication, settings: MetricsSettings, tell: Listener) -> Served:
    """A server at the port of the settings; another daemon on this machine may have the default one, then at any."""
    try:
        return Served(application, settings.host, settings.port)
    except InvalidSettings as error:
        if settings.port != MetricsSettings.port:
            raise
        tell(Event("port_taken", "WARNING", {"error": error.message}))
        return Served(application, settings.host, 0)


def _family(name: str, text: str, labels: str = "") -> GaugeMetricFamily:
    return GaugeMetricFamily(f"streamtables_{name}", text, labels=labels.split())
