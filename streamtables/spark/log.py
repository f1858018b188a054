"""A Delta table's log, read cheaply: versions, metadata, commits, and whether a range is whole.

A local log is read from its files; any other, and what the files do not say, through Delta.
"""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from streamtables.errors import UnknownTable
from streamtables.spark import internals
from streamtables.spark.actions import (
    Break,
    Commit,
    Metadata,
    Snapshot,
    SourceBroken,
    rows_in_files,
)
from streamtables.spark.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from streamtables.model import Position, TableName

_VERSIONED = re.compile(r"(\d{20})\.(?:json|checkpoint\..*parquet|checkpoint\..*json)")

# Where the newest commits of a table that a catalog manages lie; those of others have it empty.
_STAGED = ("_staged_commits", "_commits")

# A folder's time moves in steps of a few milliseconds: a younger one may hide another commit.
_SETTLED_NS = 50_000_000


@dataclass(frozen=True, slots=True)
class _Known:
    """The metadata last read, and the mark of the commit file of its version."""

    version: int
    mark: tuple[int, int] | None
    metadata: Metadata


class DeltaLog:
    """The log of one Delta table."""

    is_remote = False

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark = spark
        self.path = path
        is_local = path.startswith("file:/")
        self._folder = Path(path.removeprefix("file:"), "_delta_log") if is_local else None
        self._listed: tuple[tuple[int, int], int] | None = None
        self._known: _Known | None = None
        self._files = Files()

    @classmethod
    def of(cls, spark: SparkSession, path: str) -> DeltaLog:
        """The log of the table at a path."""
        java = internals.java_log(spark, path)
        if not java.tableExists():
            raise UnknownTable(f"There is no Delta table at {path}")
        return cls(spark, java.dataPath().toString())

    @classmethod
    def named(cls, spark: SparkSession, name: TableName) -> DeltaLog | None:
        """The log of a catalog's table; None where the name is that of a view or no Delta table."""
        if not spark.catalog.tableExists(name.quoted):
            raise UnknownTable(f"There is no table {name}")
        path = internals.delta_path(spark, name)
        return cls.of(spark, path) if path else None

    def latest(self) -> int:
        """The newest version, without a Spark job; of a local table from one look at a folder.

        The folder's time and inode show whether anything in it came or went since the last look; a
        table dropped and made again has another folder or other files in it.
        """
        if self._folder is None or self._is_staged():
            return int(self.java_snapshot().version())
        try:
            found = self._folder.stat()
            mark = (found.st_ino, found.st_mtime_ns)
            if self._listed and self._listed[0] == mark:
                return self._listed[1]
            names = [file.name for file in self._folder.iterdir()]
        except FileNotFoundError:
            raise self._gone() from None
        versions = [int(match[1]) for match in map(_VERSIONED.fullmatch, names) if match]
        if not versions:
            raise self._gone()
        settled = time.time_ns() - found.st_mtime_ns > _SETTLED_NS
        self._listed = (mark, max(versions)) if settled else None
        return max(versions)

    @property
    def folder(self) -> Path | None:
        """The table's folder on this machine; None where it lies elsewhere."""
        return self._folder.parent if self._folder is not None else None

    def position(self) -> Position:
        """The newest version, with the identity and the schema that it has there."""
        version = self.latest()
        known = self._known
        if known is None or known.mark is None or known.mark != self._mark(known.version):
            return self._remember(self.snapshot(None))
        if known.version == version:
            return known.metadata.at(version)
        try:
            commits = self.commits(known.version, version)
        except SourceBroken:
            return self._remember(self.snapshot(None))
        metadata = [commit.metadata for commit in commits if commit.metadata]
        newest = metadata[-1] if metadata else known.metadata
        self._known = _Known(version, self._mark(version), newest)
        return newest.at(version)

    def metadata(self, version: int | None = None) -> Metadata:
        """The metadata of a version, by default the newest, which of a local table asks little."""
        wanted = self.position().version if version is None else version
        known = self._known
        if known is None or known.version != wanted:
            return self.snapshot(version).metadata
        return known.metadata

    def snapshot(self, version: int | None = None) -> Snapshot:
        """A version, the newest by default, which takes no Spark job."""
        java = self.java_snapshot(version)
        protocol = json.loads(java.protocol().json())["protocol"]
        return Snapshot(
            int(java.version()),
            Metadata.of(json.loads(java.metadata().json())["metaData"]),
            frozenset(protocol.get("readerFeatures", ())) | set(protocol.get("writerFeatures", ())),
        )

    def java_snapshot(self, version: int | None = None) -> Any:
        """Delta's own value of a version."""
        java = internals.java_snapshot(self.spark, self.path, version)
        if java.version() < 0:
            raise self._gone()
        return java

    def commits(self, start: int, end: int) -> list[Commit]:
        """The commits after `start` up to `end`: every one of them, or an error."""
        found = [Commit.parse(version, text) for version, text in self._texts(start + 1, end)]
        missing = set(range(start + 1, end + 1)) - {commit.version for commit in found}
        if missing:
            raise SourceBroken(
                Break.VERSIONS_MISSING, f"The log of {self.path} has no version {min(missing)}"
            )
        return found

    def files(self, version: int | None = None) -> Mapping[str, Mapping[str, Any]]:
        """The files of a version, by default the newest, by path, as the log has them; mostly without a Spark job."""
        wanted = self.latest() if version is None else version
        is_near = self._folder is not None
        held = self._files.followed(wanted, self._mark, self._texts) if is_near else None
        if held is None:
            found = internals.files_of(self.spark, self.java_snapshot(wanted))
            held = self._files.set(wanted, self._mark(wanted), found)
        return held

    def sizes(self) -> list[int]:
        """How many bytes each file of the newest version has."""
        return [file["size"] for file in self.files().values()]

    def row_count(self) -> int | None:
        """How many rows the newest version has, by the statistics of its files; None where one has none."""
        return rows_in_files(self.files().values(), ())

    def transaction(self, app_id: str, version: int | None = None) -> int | None:
        """The newest transaction of an application that a version has taken in; asks Delta, with a job, at last."""
        if commit := self.last_commit(app_id, until=version, limit=50):
            return commit.transactions[app_id]
        found = self.java_snapshot(version).transactions().get(app_id)
        return int(found.get()) if found.isDefined() else None

    def last_commit(
        self, app_id: str, *, until: int | None = None, limit: int = 1000
    ) -> Commit | None:
        """The newest commit of an application up to a version, looking back past those of others."""
        latest = self.latest() if until is None else until
        for version in range(latest, max(-1, latest - limit), -1):
            try:
                commit = self.commits(version - 1, version)[0]
            except SourceBroken:
                return None  # older commits are cleaned up
            if app_id in commit.transactions:
                return commit
        return None

    def has(self, files: Sequence[str]) -> bool:
        """Whether files, named as the log names them, are still there."""
        if self._folder is not None:
            return all(map(self._has_file, files))
        with ThreadPoolExecutor(16) as pool:  # each look at an object store is a round trip
            return all(pool.map(self._has_file, files))

    def _texts(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        if self._folder is None or self._is_staged():
            yield from internals.commit_texts(self.spark, self.path, start, end)
            return
        for version in range(start, end + 1):
            file = self._commit_file(version)
            if file.exists():
                yield version, file.read_text(encoding="utf-8")

    def _is_staged(self) -> bool:
        assert self._folder is not None
        return any(any((self._folder / name).glob("*")) for name in _STAGED)

    def _commit_file(self, version: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{version:020}.json"

    def _mark(self, version: int) -> tuple[int, int] | None:
        """What tells a local commit file from another one of the same name."""
        if self._folder is None:
            return None
        try:
            found = self._commit_file(version).stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _remember(self, snapshot: Snapshot) -> Position:
        mark = self._mark(snapshot.version)
        self._known = _Known(snapshot.version, mark, snapshot.metadata)
        return snapshot.metadata.at(snapshot.version)

    def _has_file(self, file: str) -> bool:
        url = urlsplit(file)
        if self._folder is None or url.scheme not in ("", "file"):
            return internals.file_exists(self.spark, self.path, file)
        return (self._folder.parent / unquote(url.path)).exists()

    def _gone(self) -> UnknownTable:
        return UnknownTable(f"The Delta table at {self.path} is gone")
