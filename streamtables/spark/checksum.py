"""What Delta Lake keeps beside a commit of a version's whole (`.crc`), carried on to the next version.

With it a reader learns of metadata, transactions and counts without replaying the log, which takes a Spark job.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# The first number of each bin but the first, in which files are counted by how many of their rows are hidden.
_HIDDEN_BINS = (1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 2**31 - 1)
_SIZES, _HIDDEN = "fileSizeHistogram", "deletedRecordCountsHistogramOpt"


def read(log_folder: Path, version: int) -> dict[str, Any] | None:
    """The checksum of a version; None where there is none, or none that is whole."""
    try:
        found: dict[str, Any] = json.loads(path(log_folder, version).read_bytes())
    except (OSError, ValueError):
        return None
    return found if found.get("metadata") and found.get("protocol") else None


def path(log_folder: Path, version: int) -> Path:
    """Where the checksum of a version is."""
    return log_folder / f"{version:020}.crc"


def following(
    before: Mapping[str, Any],
    files: Sequence[Mapping[str, Any]],
    transaction: Mapping[str, Any],
    number: str,
) -> dict[str, Any]:
    """The checksum of the version after one: of all its files, and with the transaction that made it."""
    hidden = [(file.get("deletionVector") or {}).get("cardinality", 0) for file in files]
    sizes = [file["size"] for file in files]
    after = {key: value for key, value in before.items() if key != "allFiles"}
    after |= {"txnId": number, "tableSizeBytes": sum(sizes), "numFiles": len(files)}
    if "numDeletedRecordsOpt" in before:
        after["numDeletedRecordsOpt"] = sum(hidden)
    if "numDeletionVectorsOpt" in before:
        after["numDeletionVectorsOpt"] = sum(1 for file in files if file.get("deletionVector"))
    known = before.get("setTransactions")
    if known is not None:
        others = [other for other in known if other["appId"] != transaction["appId"]]
        after["setTransactions"] = [*others, transaction]
    if shape := before.get(_SIZES):
        after[_SIZES] = _by_size(shape["sortedBinBoundaries"], sizes)
    if before.get(_HIDDEN):
        counts = [0] * (len(_HIDDEN_BINS) + 1)
        for count in hidden:
            counts[bisect_right(_HIDDEN_BINS, count)] += 1
        after[_HIDDEN] = {"deletedRecordCounts": counts}
    return after


def _by_size(bounds: Sequence[int], sizes: Sequence[int]) -> dict[str, Sequence[int]]:
    """How many files there are of each size, and of how many bytes together."""
    counts, totals = [0] * len(bounds), [0] * len(bounds)
    for size in sizes:
        place = bisect_right(bounds, size) - 1
        counts[place] += 1
        totals[place] += size
    return {"sortedBinBoundaries": bounds, "fileCounts": counts, "totalBytes": totals}
