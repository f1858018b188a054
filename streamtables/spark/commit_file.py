"""A commit to a table on this machine, written as the file of its version, without the JVM.

A version of a Delta table is made by the one who first puts a file of its number into the log. Here that is a link to a
finished file, which no reader sees in part and which is refused where the number is taken. What else Delta does at a
commit is left to Delta: conflicts, checkpoints, tables with more features than those named here.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from streamtables.spark import checksum

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from streamtables.spark.log import DeltaLog
    from streamtables.spark.stamp import Stamp

_FEATURES = {"deletionVectors", "appendOnly", "invariants", "timestampNtz", "changeDataFeed"}
_INTERVAL = "delta.checkpointInterval"


def written(
    log: DeltaLog, version: int, actions: Sequence[Mapping[str, Any]], stamp: Stamp
) -> int | None:
    """Commit actions on files after a version; gives the version made, or None where that is Delta's work."""
    if log.folder is None:
        return None
    folder = log.folder / "_delta_log"
    before, held, made = checksum.read(folder, version), log.files(version), version + 1
    if before is None or before["numFiles"] != len(held) or not _is_plain(before, made):
        return None
    number, now = str(uuid.uuid4()), int(time.time() * 1000)
    transaction = {"appId": stamp.app_id, "version": stamp.number, "lastUpdated": now}
    said = {"commitInfo": _info(version, actions, stamp, number, now)}
    lines = [said, *actions, {"txn": transaction}]
    if not _linked(_file(folder, made), "\n".join(map(json.dumps, lines)) + "\n"):
        return None
    files = _after(held, actions)
    after = checksum.following(before, list(files), transaction, number)
    _linked(checksum.path(folder, made), json.dumps(after) + "\n")
    return made


def _is_plain(before: Mapping[str, Any], made: int) -> bool:
    """Whether a commit to the table asks for no more than its actions."""
    features = before["protocol"].get("writerFeatures")
    properties = before["metadata"].get("configuration") or {}
    return (
        features is not None
        and _FEATURES.issuperset(features)
        and properties.get("delta.appendOnly", "false") != "true"
        and made % int(properties.get(_INTERVAL, 10)) != 0
    )


def _info(
    version: int, actions: Iterable[Mapping[str, Any]], stamp: Stamp, number: str, now: int
) -> dict[str, Any]:
    """What the commit says of itself, in the words of Delta's own writer."""
    is_added_to = not any("remove" in action for action in actions)
    return {
        "timestamp": now,
        "operation": "WRITE",
        "operationParameters": {"mode": "Append" if is_added_to else "Overwrite"},
        "readVersion": version,
        "isolationLevel": "Serializable",
        "isBlindAppend": is_added_to,
        "operationMetrics": {},
        "userMetadata": stamp.metadata,
        "engineInfo": "streamtables",
        "txnId": number,
    }


def _after(
    held: Mapping[str, Mapping[str, Any]], actions: Iterable[Mapping[str, Any]]
) -> Iterable[Mapping[str, Any]]:
    """The files that a version holds once actions are done: those removed go before others come."""
    gone = {action["remove"]["path"] for action in actions if "remove" in action}
    come = {action["add"]["path"]: action["add"] for action in actions if "add" in action}
    return ({path: file for path, file in held.items() if path not in gone} | come).values()


def _file(folder: Path, version: int) -> Path:
    return folder / f"{version:020}.json"


def _linked(file: Path, text: str) -> bool:
    """Put a finished file in its place, if none is there and the file system has links."""
    unseen = file.with_name(f".{file.name}.{uuid.uuid4()}.tmp")
    try:
        unseen.write_text(text, encoding="utf-8")
        # Hadoop checks a local file by this; one of a file that somebody removed would belie ours.
        if not file.exists():
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        os.link(unseen, file)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            unseen.unlink()
    return True
