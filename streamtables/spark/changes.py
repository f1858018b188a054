"""The change of a Delta table between two versions: rows with `_weight`, each row once.

feed       the change files of the commits that have them, else the files they added and removed
files      the files added and removed, whatever the commits say of changes
snapshots  both versions in full, one less the other

The first two read file actions, and count them with a sign: +1 for a file added, -1 for one removed, keyed by (path,
deletion vector). A file both added and removed in the range cancels out, and a commit that only moves rows between
files (OPTIMIZE) can be left out: it adds what it removes. The first and last action per path would not do: RESTORE
after OPTIMIZE adds a file that was there at the start, which looks unchanged, while the file that replaced it is gone.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import pyarrow.compute as pc
from pyspark.sql.types import LongType, StructField, StructType

from streamtables.spark import driver, internals
from streamtables.spark.actions import Break, SourceBroken, most_hidden, rows_in_files, shapes
from streamtables.spark.consolidate import WEIGHT, consolidated, weighted
from streamtables.spark.reading import read_feed, read_version
from streamtables.spark.relations import HERE_ROWS, Relation, here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from streamtables.spark.actions import Commit, Metadata
    from streamtables.spark.log import DeltaLog

How = Literal["feed", "files", "snapshots"]

_SIGN = "CASE WHEN _change_type IN ('delete', 'update_preimage') THEN -1 ELSE 1 END"
# Delta's reader writes the difference of two deletion vectors out as a text, and takes none of more than 64 KB.
_MOST_HIDDEN = 20_000
_FEED_COLUMNS = {"_change_type", "_commit_version", "_commit_timestamp"}


@dataclass(frozen=True, slots=True)
class ChangeRead:
    """A change, not yet computed: its rows, the way it is read, and how many rows at most."""

    relation: Relation
    how: How
    rows_estimate: int | None

    @property
    def frame(self) -> DataFrame:
        """The rows, to be computed by Spark."""
        return self.relation.frame


@dataclass(frozen=True, slots=True)
class _Files:
    """Files whose rows make up a change; of one path, at most one on each side."""

    adds: list[Mapping[str, Any]] = field(default_factory=list)
    removes: list[Mapping[str, Any]] = field(default_factory=list)
    feed: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def all(self) -> list[Mapping[str, Any]]:
        return [*self.adds, *self.removes, *self.feed]


def read_changes(
    spark: SparkSession,
    log: DeltaLog,
    start: int,
    end: int,
    columns: Sequence[str] | None = None,
    how: How | None = None,
    *,
    may_stay_here: bool = True,
) -> ChangeRead:
    """The change after version `start` up to `end`: of some columns, or of all that `start` has.

    Where it `may_stay_here`, plain files are read on the driver.

    Raises:
        SourceBroken: a commit of the range, a file, or a column as it was, is not there any more.
    """
    commits = log.commits(start, end)
    after = log.metadata(end)
    passed = _passed(log, start, commits, after)
    names = [column.name for column in passed[0].columns] if columns is None else list(columns)
    _require(log, names, passed[0], after)
    ways = _ways(log, commits, names, passed)
    if how not in (None, "snapshots", *ways):
        raise ValueError(f"{log.path} cannot be read by {how} here, only by {', '.join(ways)}")
    way, files = _choose(log, commits, (how,) if how else ways)
    if not any(level.all for level in files):
        nothing = read_version(spark, log, end).where("false")
        return ChangeRead(_distributed(weighted(nothing, names, 1)), way, 0)
    rows = _rows(commits, files)
    # Larger changes are Spark's from the beginning, so that the driver's memory stays bounded whatever comes.
    if way != "snapshots" and may_stay_here and (rows is None or rows <= HERE_ROWS):
        local = driver.change(log, after, files, names)
        if local is not None:
            copies = pc.sum(pc.abs(local.column(WEIGHT))).as_py() or 0
            return ChangeRead(here(spark, local, _weighted_schema(after, names)), way, copies)
    if any(most_hidden(level.adds, level.removes) > _MOST_HIDDEN for level in files):
        way = "snapshots"
    if way == "snapshots":
        old, new = (read_version(spark, log, version) for version in (start, end))
        both = weighted(old, names, -1).unionAll(weighted(new, names, 1))
    elif log.is_remote:
        both = weighted(read_feed(spark, log, start, end), names, _SIGN)
    else:
        both = _from_files(spark, log.java_snapshot(end), files, names)
    return ChangeRead(_distributed(consolidated(both)), way, rows)


def _distributed(frame: DataFrame) -> Relation:
    return Relation(frame, -1, None)


def _weighted_schema(metadata: Metadata, names: Sequence[str]) -> StructType:
    fields = StructType.fromJson(json.loads(metadata.schema)).fields
    by_name = {field.name.lower(): field for field in fields}
    kept = [StructField(name, by_name[name.lower()].dataType) for name in names]
    return StructType([*kept, StructField(WEIGHT, LongType())])


def _passed(
    log: DeltaLog, start: int, commits: Sequence[Commit], after: Metadata
) -> list[Metadata]:
    """The metadata that held at `start`, and every other one up to the last."""
    later = [commit.metadata for commit in commits if commit.metadata]
    return [log.snapshot(start).metadata, *later] if later else [after]


def _require(log: DeltaLog, names: Sequence[str], before: Metadata, after: Metadata) -> None:
    old, new = shapes(before.schema), shapes(after.schema)
    changed = [key for key in map(str.lower, names) if key not in old or old[key] != new.get(key)]
    if changed:
        raise SourceBroken(
            Break.SCHEMA_CHANGED, f"Columns of {log.path} changed: {', '.join(changed)}"
        )


def _ways(
    log: DeltaLog, commits: Sequence[Commit], names: Sequence[str], passed: Sequence[Metadata]
) -> tuple[How, ...]:
    """The ways to read the range, best first."""
    after = passed[-1]
    new = shapes(after.schema)
    wanted = {name.lower(): new[name.lower()] for name in names}
    is_one_schema = all(
        shapes(metadata.schema).get(name, shape) == shape
        for metadata in passed
        for name, shape in wanted.items()
    )
    # A file's partition is read by the partition columns of the last version.
    is_one_layout = all(
        metadata.partition_columns == after.partition_columns for metadata in passed
    )
    is_complete = all(file.get("extendedFileMetadata") for c in commits for file in c.removes)
    if not (is_one_schema and is_one_layout and is_complete) or _FEED_COLUMNS & new.keys():
        return ("snapshots",)
    is_fed = after.properties.get("delta.enableChangeDataFeed") == "true"
    if log.is_remote:  # by what SQL can name: no files, and a feed only if there was one all along
        return ("feed", "snapshots") if is_fed and len(passed) == 1 else ("snapshots",)
    if is_fed and any(commit.feed for commit in commits):
        return ("feed", "files")
    return ("files",)


def _choose(
    log: DeltaLog, commits: Sequence[Commit], ways: Sequence[How]
) -> tuple[How, list[_Files]]:
    """The first way whose files are all there."""
    for way in ways:
        files = net_files(commits, by_feed=way == "feed")
        if log.has([file["path"] for level in files for file in level.all]):
            return way, files
    raise SourceBroken(
        Break.VERSION_VACUUMED,
        f"Files of {log.path} that changed after version {commits[0].version - 1} are gone",
    )


def _rows(commits: Sequence[Commit], files: Sequence[_Files]) -> int | None:
    """The smaller of two bounds: what the commits changed one by one, and what the files hold."""
    by_commit = [commit.rows for commit in commits]
    by_file = [None if level.feed else rows_in_files(level.adds, level.removes) for level in files]
    bounds = [sum(rows) for rows in map(_known, (by_commit, by_file)) if rows is not None]
    return min(bounds, default=None)


def _known(rows: Sequence[int | None]) -> list[int] | None:
    return None if None in rows else [count for count in rows if count is not None]


def _from_files(
    spark: SparkSession, snapshot: Any, levels: Sequence[_Files], names: Sequence[str]
) -> DataFrame:
    frames = []
    for level in levels:
        # A commit with change files is read from those alone, so they make a commit of their own.
        for actions in (
            {"AddFile": level.adds, "RemoveFile": level.removes},
            {"AddCDCFile": level.feed},
        ):
            if any(actions.values()):
                rows = internals.change_frame(spark, snapshot, actions)
                frames.append(weighted(rows, names, _SIGN))
    return reduce(lambda one, other: one.unionAll(other), frames)


def net_files(commits: Iterable[Commit], *, by_feed: bool) -> list[_Files]:
    """What is left of the files of a range when those added and removed have cancelled out.

    More than one item only where a path is left twice on one side.
    """
    counts: Counter[tuple[str, str]] = Counter()
    actions: dict[tuple[tuple[str, str], int], Mapping[str, Any]] = {}
    levels = [_Files()]
    for commit in commits:
        if by_feed and commit.feed:
            levels[0].feed.extend(commit.feed)
            continue
        for sign, files in ((1, commit.adds), (-1, commit.removes)):
            for file in files:
                key = (file["path"], _vector(file))
                counts[key] += sign
                actions[key, sign] = file
    taken: Counter[tuple[str, int]] = Counter()
    for key, count in counts.items():
        sign = 1 if count > 0 else -1
        for _ in range(abs(count)):
            level = taken[key[0], sign]
            taken[key[0], sign] += 1
            levels += [_Files() for _ in range(len(levels), level + 1)]
            side = levels[level].adds if sign > 0 else levels[level].removes
            side.append(actions[key, sign])
    return levels


def _vector(file: Mapping[str, Any]) -> str:
    """What tells a file's deletion vector from another."""
    found = file.get("deletionVector")
    return f"{found['storageType']}{found['pathOrInlineDv']}@{found.get('offset')}" if found else ""
