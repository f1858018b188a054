"""What one piece of work costs: seconds, Spark jobs, seconds outside of them, files and rows read, memory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import SparkSession

# The session has to keep what is counted here.
SETTINGS = {
    "spark.ui.retainedJobs": "1000",
    "spark.ui.retainedStages": "1000",
    "spark.sql.ui.retainedExecutions": "1000",
}


@dataclass(frozen=True)
class Cost:
    """What was measured of one piece of work."""

    seconds: float
    jobs: int
    outside: float
    files: int
    rows: int
    peak_mb: int


class Meter:
    """Reads the counters of a session."""

    def __init__(self, spark: SparkSession) -> None:
        session: Any = spark
        self._context = session.sparkContext._jsc.sc()
        self._sql = session._jsparkSession.sharedState().statusStore()
        self._memory = Memory(spark)

    def of(self, work: Callable[[], object]) -> Cost:
        """Do the work and measure it."""
        jobs, executions = self._jobs(), self._executions()
        self._memory.begin()
        begin = time.perf_counter()
        work()
        seconds = time.perf_counter() - begin
        peak = self._memory.peak_mb()
        self._context.listenerBus().waitUntilEmpty()
        done = self._jobs()
        scans = [self._scanned(number) for number in range(executions, self._executions())]
        files, rows = (sum(parts) for parts in zip(*scans, strict=True)) if scans else (0, 0)
        inside = _covered(self._spans(jobs, done))
        return Cost(seconds, done - jobs, max(0.0, seconds - inside), files, rows, peak)

    def _jobs(self) -> int:
        return int(self._context.dagScheduler().numTotalJobs())

    def _executions(self) -> int:
        """The number of the next query."""
        self._context.listenerBus().waitUntilEmpty()
        count = self._sql.executionsCount()
        last = self._sql.executionsList(count - 1, 1) if count else None
        return int(last.apply(0).executionId()) + 1 if last is not None and last.size() else 0

    def _spans(self, first: int, end: int) -> Iterable[tuple[float, float]]:
        for number in range(first, end):
            job = self._context.statusStore().job(number)
            if job.submissionTime().isDefined() and job.completionTime().isDefined():
                times = (job.submissionTime().get(), job.completionTime().get())
                yield tuple(moment.getTime() / 1000 for moment in times)

    def _scanned(self, execution: int) -> tuple[int, int]:
        """Files and rows that the scans of a query read."""
        found = {"number of files read": 0, "number of output rows": 0}
        if not self._sql.execution(execution).isDefined():
            return (0, 0)
        values = self._sql.executionMetrics(execution)
        nodes = self._sql.planGraph(execution).allNodes()
        for i in range(nodes.size()):
            node = nodes.apply(i)
            metrics = node.metrics() if node.name().startswith("Scan ") else None
            for j in range(metrics.size() if metrics is not None else 0):
                metric = metrics.apply(j)
                value = values.get(metric.accumulatorId())
                if metric.name() in found and value.isDefined():
                    found[metric.name()] += int(value.get().split("\n")[-1].replace(",", ""))
        return found["number of files read"], found["number of output rows"]


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """The length of a union of spans."""
    total, until = 0.0, 0.0
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total
