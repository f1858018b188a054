"""The prompt through a real terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_conversation(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "streamtables.cli", "shell", "-w", str(tmp_path / "warehouse")],
        env=environment,
        encoding="utf-8",
        dimensions=(40, 160),
        timeout=120,
    )

    def say(line: str, *answers: str) -> None:
        child.sendline(line)
        for answer in answers:
            child.expect_exact(answer)

    child.expect_exact("streamtables>")
    say("CREATE TABLE t (k STRING, x INT) USING delta;", "streamtables>")
    say("CREATE STREAM TABLE s AS", "...")
    say("SELECT k, count(*) AS n FROM t GROUP BY k;", "FIRST_FILL", "streamtables>")
    say("INSERT INTO t VALUES ('a', 1), ('a', 2);", "streamtables (1)>")
    say("SELECT nothing FROM nowhere;", "nowhere", "streamtables (1)>")
    say("COMMIT", "INCREMENTAL", "+ a, 2", "committed in", "streamtables>")
    say("DELETE FROM t;", "streamtables (1)>")
    say("rollback", "1 statements forgotten", "streamtables>")
    child.send("VERI\t")
    child.expect_exact("VERIFY")
    say(" s", "equals its query", "streamtables>")
    child.sendcontrol("p")  # the last line again, from the history
    child.sendline("")
    child.expect_exact("equals its query")
    child.expect_exact("streamtables>")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
