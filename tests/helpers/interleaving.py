"""Actors that stop at named steps until told to go on: an order of events that no clock decides."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S = 300


class Actor:
    """Runs an action in a thread of its own; `observe` is what the action tells its steps to."""

    def __init__(self, action: Callable[[Callable[[str], None]], Any]) -> None:
        self._stop_at: str | None = None
        self._changed = threading.Condition()
        self._at: str | None = None
        self._is_over = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(action,), daemon=True)
        self._is_started = False

    def until(self, point: str) -> Actor:
        """Let it run until it is about to do the step; fails if it ends before."""
        self._go(point)
        with self._changed:
            self._wait(lambda: self._at == point or self._is_over)
        if self._at != point:
            raise AssertionError(f"It ended before {point!r}: {self._error or self._result!r}")
        return self

    def start(self) -> Actor:
        """Let it run to its end, without waiting for that."""
        self._go(None)
        return self

    def finish(self) -> Any:
        """Let it run to its end; gives its result, or raises its error."""
        self._go(None)
        with self._changed:
            self._wait(lambda: self._is_over)
        if self._error is not None:
            raise self._error
        return self._result

    def observe(self, point: str) -> None:
        """Called by the action before each step."""
        with self._changed:
            if point == self._stop_at:
                self._at = point
                self._changed.notify_all()
                self._wait(lambda: self._stop_at != point)
                self._at = None

    def _go(self, point: str | None) -> None:
        with self._changed:
            self._stop_at = point
            self._changed.notify_all()
        if not self._is_started:
            self._is_started = True
            self._thread.start()

    def _wait(self, condition: Callable[[], bool]) -> None:
        if not self._changed.wait_for(condition, PATIENCE_S):
            raise AssertionError(f"Nothing happened for {PATIENCE_S} s; it is at {self._at}")

    def _run(self, action: Callable[[Callable[[str], None]], Any]) -> None:
        try:
            self._result = action(self.observe)
        except BaseException as error:  # noqa: BLE001 the one who waits gets it
            self._error = error
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
