"""One refresh of a table at a time: an OS file lock on a local disk, a lease elsewhere."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from streamtables.catalog.base import PRIVATE, local_folder, utc_now
from streamtables.errors import Busy, RegistryUnreachable

if TYPE_CHECKING:
    from pathlib import Path

    from streamtables.catalog.base import Catalog
    from streamtables.model import StreamTable

TableLock = AbstractContextManager[Callable[[], bool]]
"""A lock for a `with` block; its value tells whether the lock is still held."""

_FILE_POLL_S = 0.01
_LEASE_POLL_S = 0.1


def table_lock(
    catalog: Catalog, warehouse: Path | str, table: StreamTable, timeout_s: float = 600.0
) -> TableLock:
    """The lock that every write to a stream table holds; `Busy` when it stays taken."""
    folder = local_folder(warehouse)
    if folder is None:
        return lease_lock(catalog, f"table:{table.id}", str(table.name), timeout_s)
    path = folder / PRIVATE / "locks" / f"{table.id}.lock"
    return file_lock(path, str(table.name), timeout_s)


def named_lock(
    catalog: Catalog, warehouse: Path | str, what: str, timeout_s: float = 60.0
) -> TableLock:
    """A lock of the warehouse for anything else, by its name."""
    folder = local_folder(warehouse)
    if folder is None:
        return lease_lock(catalog, what, what, timeout_s)
    name = hashlib.sha256(what.encode()).hexdigest()[:16]
    return file_lock(folder / PRIVATE / "locks" / f"{name}.lock", what, timeout_s)


@contextmanager
def file_lock(path: Path, what: str, timeout_s: float) -> Iterator[Callable[[], bool]]:
    """Hold a file's lock, which the system releases if this process dies.

    Whoever waits first takes the lock of the queue: a holder that releases and asks again at once stands behind it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _opened(path) as lock, _opened(path.with_suffix(".queue")) as queue:
        deadline = time.monotonic() + timeout_s
        is_next = _wait(lambda: _try_flock(queue), timeout_s, _FILE_POLL_S)
        left = deadline - time.monotonic()
        if not is_next or not _wait(lambda: _try_flock(lock), left, _FILE_POLL_S):
            raise _busy(what, timeout_s, os.pread(lock, 1000, 0).decode(errors="replace"))
        fcntl.flock(queue, fcntl.LOCK_UN)
        os.ftruncate(lock, 0)
        os.pwrite(lock, this_process().encode(), 0)
        try:
            yield lambda: True
        finally:
            os.ftruncate(lock, 0)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A file to lock. Each holder opens it anew, so that threads of one process exclude each other too."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield descriptor
    finally:
        # Closing alone would leave the lock with a forked child, which shares the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


@contextmanager
def lease_lock(
    catalog: Catalog, name: str, what: str, timeout_s: float, lease_s: float = 30.0
) -> Iterator[Callable[[], bool]]:
    """Hold a lease of the registry, renewed by a thread until the block ends."""
    lease = Lease(catalog, name, lease_s)
    if not _wait(lease.take, timeout_s, _LEASE_POLL_S):
        holder = catalog.lease_holder(name, utc_now()) or ""
        raise _busy(what, timeout_s, holder.partition("#")[0])
    stop = threading.Event()
    heart = threading.Thread(target=lease.keep, args=(stop,), name=f"lease {name}", daemon=True)
    heart.start()
    try:
        yield lease.is_held
    finally:
        stop.set()
        heart.join()
        lease.drop()


class Lease:
    """A claim in the registry, that runs out unless it is renewed.

    Whoever has it keeps a file locked, if one is given: so others of the same host see at once that it has died. Of
    another host, or where two hosts share a name, only the clock tells.
    """

    def __init__(
        self, catalog: Catalog, name: str, seconds: float, sign: Path | None = None
    ) -> None:
        self.owner = f"{this_process()}#{uuid.uuid4().hex}"  # one per block, not per process
        self._catalog = catalog
        self._name = name
        self._seconds = seconds
        self._good_until = 0.0
        self._sign, self._signed = sign, contextlib.ExitStack()
        self._is_signed = False

    def take(self) -> bool:
        """Claim it, if it is free, has run out, is ours already, or was a process's of this host that has died."""
        is_ours = self._extend(self._catalog.take_lease)
        if not is_ours and (dead := self._dead_holder()):
            self._catalog.release_lease(self._name, dead)
            is_ours = self._extend(self._catalog.take_lease)
        if is_ours:
            self._signs()
        return is_ours

    def keep(self, stop: threading.Event) -> None:
        """Renew it, until told to stop or until somebody else has it."""
        while not stop.wait(self._seconds / 3):
            with contextlib.suppress(RegistryUnreachable):  # it may answer at the next beat
                if not self._extend(self._catalog.renew_lease):
                    return

    def drop(self) -> None:
        """Give it back."""
        with contextlib.suppress(RegistryUnreachable):  # it then runs out by itself
            self._catalog.release_lease(self._name, self.owner)
        self._signed.close()
        self._is_signed = False

    def is_held(self) -> bool:
        """Whether it is ours for certain."""
        return time.monotonic() < self._good_until

    def _extend(self, ask: Callable[..., bool]) -> bool:
        asked = time.monotonic()
        granted = ask(self._name, self.owner, self._seconds, utc_now())
        self._good_until = asked + self._seconds if granted else 0.0
        return granted

    def _dead_holder(self) -> str | None:
        """Who holds it though it was a process of this host that is no more: no such process, and no such lock."""
        holder = self._catalog.lease_holder(self._name, utc_now()) or ""
        process, host = holder.partition("#")[0].split("@") if "@" in holder else ("", "")
        if host != socket.gethostname() or _is_running(int(process)):
            return None
        return holder if self._signs() else None

    def _signs(self) -> bool:
        """Whether the file is locked by us, from now on if it was free."""
        if self._sign is not None and not self._is_signed:
            with contextlib.suppress(Busy):
                self._signed.enter_context(file_lock(self._sign, self._name, 0))
                self._is_signed = True
        return self._is_signed


def this_process() -> str:
    """This process as others see it: `pid@host`."""
    return f"{os.getpid()}@{socket.gethostname()}"


def _is_running(process: int) -> bool:
    """Whether another process of this host, as far as we can see it, has that number."""
    if process == os.getpid():  # of another life: containers give the same numbers again
        return False
    try:
        os.kill(process, 0)
    except PermissionError:  # it is somebody else's
        return True
    except ProcessLookupError:
        return False
    return True


def _try_flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(attempt: Callable[[], bool], timeout_s: float, poll_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while not attempt():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(poll_s, left))
    return True


def _busy(what: str, timeout_s: float, holder: str) -> Busy:
    return Busy(
        f"{what} is held by {holder or 'another process'} and was not free in {timeout_s:g} s",
        hint="Try again when that refresh has ended.",
    )
