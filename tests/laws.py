"""The laws on many random scripts, in as many processes as there are processors.

    N=20000 SEED=1 python tests/laws.py

N counts checks: a query after a batch of changes, compared with the query run in full. A failure is shrunk and printed
as a case; the same seed finds it again. The queries are drawn so that all have a delta rule: one that is refused is a
failure too.
"""

from __future__ import annotations

import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from helpers.laws import LAWS
from helpers.random_queries import random_script
from helpers.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamtables.testing.random_tables import Script

BATCHES = 48
SCRIPTS_PER_TASK = 4
TELL_EVERY = 40


def main() -> int:
    """Run until N checks are done or a law is broken."""
    wanted = int(os.environ.get("N", "20000"))
    seed = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))
    print(f"SEED={seed} N={wanted}", flush=True)
    started, checks, scripts, broken = time.monotonic(), 0, 0, 0
    with ProcessPoolExecutor() as pool:
        starts = iter(range(seed, seed + 10**9, SCRIPTS_PER_TASK))
        tasks = {pool.submit(check_some, next(starts)) for _ in range(2 * (os.cpu_count() or 1))}
        while tasks:
            done = next(as_completed(tasks))
            tasks.remove(done)
            count, failures = done.result()
            checks, scripts, broken = (
                checks + count,
                scripts + SCRIPTS_PER_TASK,
                broken + len(failures),
            )
            print(*failures, sep="\n", end="\n" if failures else "", flush=True)
            if not scripts % TELL_EVERY:
                print(f"{checks} checks of {scripts} queries", flush=True)
            if checks < wanted and not broken:
                tasks.add(pool.submit(check_some, next(starts)))
    minutes = (time.monotonic() - started) / 60
    print(f"{checks} checks of {scripts} queries in {minutes:.1f} min, {broken} broken")
    return bool(broken)


def check_some(start: int) -> tuple[int, list[str]]:
    """Check some scripts, each against one of the laws; gives the checks done and the failures, shrunk."""
    checks, failures = 0, []
    for seed in range(start, start + SCRIPTS_PER_TASK):
        script, law = random_script(random.Random(seed), BATCHES), LAWS[seed % len(LAWS)]
        try:
            checks += law(script)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is a finding
            failures.append(
                f"-- seed {seed} breaks {law.__name__}\n{shrunk(script, law, type(error))}"
            )
    return checks, failures


def shrunk(script: Script, law: Callable[[Script], int], kind: type[Exception]) -> str:
    """The smallest script that breaks the law with the same kind of error, as a case, and the error."""

    def error(tried: Script) -> Exception | None:
        try:
            law(tried)
        except Exception as found:  # noqa: BLE001
            return found
        return None

    small = shrink(script, lambda tried: type(error(tried)) is kind)
    return f"{small}\n-- {kind.__name__}: {error(small)}"


if __name__ == "__main__":
    sys.exit(main())
