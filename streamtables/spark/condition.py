"""How a Delta table is kept: what its log and its settings say, without a Spark job."""

from __future__ import annotations

import os
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from streamtables.model import Condition
from streamtables.spark.actions import SourceBroken
from streamtables.spark.changes import net_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamtables.spark.actions import Commit
    from streamtables.spark.log import DeltaLog

# How long removed files and commits stay, and Delta Lake's defaults.
_RETENTION = {
    "delta.deletedFileRetentionDuration": "interval 7 days",
    "delta.logRetentionDuration": "interval 30 days",
}
_SECONDS = {
    "week": 604_800.0,
    "day": 86_400.0,
    "hour": 3_600.0,
    "minute": 60.0,
    "second": 1.0,
    "millisecond": 1e-3,
    "microsecond": 1e-6,
}


def condition_of(log: DeltaLog, since: int | None) -> Condition:
    """How a table is kept, for one who has read it up to a version."""
    snapshot, sizes = log.snapshot(), log.sizes()
    properties = snapshot.metadata.properties
    behind_since, is_lost = None, False
    if since is not None and since < snapshot.version:
        try:
            commits = log.commits(since, snapshot.version)
            files = [file for level in net_files(commits, by_feed=False) for file in level.all]
            behind_since, is_lost = _made_at(commits[0]), not log.has([f["path"] for f in files])
        except SourceBroken:
            is_lost = True
    return Condition(
        version=snapshot.version,
        keeps_s=keeps_s(properties),
        behind_since=behind_since,
        is_lost=is_lost,
        has_deletion_vectors=properties.get("delta.enableDeletionVectors") == "true",
        has_feed=properties.get("delta.enableChangeDataFeed") == "true",
        file_count=len(sizes),
        size_bytes=sum(sizes),
        may_write=os.access(log.folder / "_delta_log", os.W_OK) if log.folder else None,
    )


def keeps_s(properties: Mapping[str, str]) -> float:
    """The shorter of the times for which removed files and commits stay.

    >>> keeps_s({"delta.deletedFileRetentionDuration": "interval 1 day 12 hours"}) / 3600
    36.0
    """
    return min(_seconds(properties.get(name, default)) for name, default in _RETENTION.items())


def _seconds(interval: str) -> float:
    parts = re.findall(r"(\d+)\s+([a-z]+?)s?\b", interval.lower())
    return sum(int(count) * _SECONDS[unit] for count, unit in parts)


def _made_at(commit: Commit) -> datetime | None:
    stamp = commit.info.get("inCommitTimestamp") or commit.info.get("timestamp")
    return datetime.fromtimestamp(stamp / 1000, timezone.utc) if stamp else None
