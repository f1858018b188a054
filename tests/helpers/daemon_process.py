"""`streamtables run` as a process of its own: started, listened to, killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from helpers.process import environment

if TYPE_CHECKING:
    from collections.abc import Sequence

BY_PYTHON = (sys.executable, "-m", "streamtables.cli")


class DaemonProcess:
    """A daemon on a warehouse, in a process group of its own, and the events it tells."""

    started: ClassVar[list[DaemonProcess]] = []
    """All of this process, so that a test that fails can end its own."""

    def __init__(self, warehouse: Path, *, by: Sequence[str] = BY_PYTHON, **more: str) -> None:
        given = {
            "LOG_FORMAT": "json",
            "LOG_LEVEL": "DEBUG",
            "METRICS_PORT": "0",
            "DAEMON_LEASE_SECONDS": "10",
            "SPARK_MASTER": "local[2]",
            "SPARK_CONFIG": '{"spark.driver.memory": "1g"}',
            **more,
        }
        variables = {f"STREAMTABLES_{name}": value for name, value in given.items()}
        self.process = subprocess.Popen(
            [*by, "run", "-w", str(warehouse)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**environment(), **variables},
            start_new_session=True,
        )
        self.started.append(self)
        self.events: list[dict[str, Any]] = []
        self.others: list[str] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, timeout_s: float, after: int = 0, **wanted: Any) -> float:
        """Wait for an event, of those after so many, that says all this; gives the seconds that it took."""
        start = time.monotonic()
        with self._changed:
            assert self._changed.wait_for(lambda: self.has_told(after, **wanted), timeout_s), (
                f"{wanted} not told in {timeout_s} s",
                self.events[-5:],
                self.others,
            )
        return time.monotonic() - start

    def has_told(self, after: int = 0, **wanted: Any) -> bool:
        """Whether an event said all this."""
        return any(wanted.items() <= event.items() for event in self.events[after:])

    def kill(self, *, with_spark: bool = False) -> None:
        """Kill it; its JVM goes on for a moment, unless that is killed, too."""
        if with_spark:
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()
        self._reader.join(10)  # what it told last; its JVM may hold the pipe for longer

    @classmethod
    def end_all(cls) -> None:
        """Kill whatever still runs, Spark with it."""
        while cls.started:
            daemon = cls.started.pop()
            if daemon.process.poll() is None:
                daemon.kill(with_spark=True)

    def kill_spark(self) -> None:
        """Kill its JVM, and forget the events so far."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (jvm,) = {pid for file in children for pid in file.read_text("utf-8").split()}
        with self._changed:
            self.events.clear()
        os.kill(int(jvm), signal.SIGKILL)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as told:
            for line in told:
                with self._changed:
                    if line.startswith("{"):
                        self.events.append(json.loads(line))
                    else:
                        self.others.append(line)
                    self._changed.notify_all()
