"""The most memory that the driver held at once during a piece of work: Python's, and the heap of its JVM."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MB = 2**20


class Memory:
    """Peaks since `begin`. The JVM's has what is garbage already: it is a bound on what was needed."""

    def __init__(self, spark: SparkSession) -> None:
        session: Any = spark
        beans = session._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        self._pools = [pool for pool in beans if pool.getType().name() == "HEAP"]

    def begin(self) -> None:
        """Forget the peaks so far."""
        for pool in self._pools:
            pool.resetPeakUsage()
        with suppress(
            OSError
        ):  # the kernel may keep them; then Python's peak is that of the process
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def peak_mb(self) -> int:
        """The peaks of both together."""
        heap = sum(pool.getPeakUsage().getUsed() for pool in self._pools)
        return int(heap + _resident()) // _MB


def _resident() -> int:
    """The most that this process had in memory."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
