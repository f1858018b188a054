"""Cases of reading changes that random tables meet seldom or never."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from helpers.versions import difference, jobs, weights

from streamtables.spark import changes
from streamtables.spark.actions import Break, Commit, SourceBroken, rows_in_files
from streamtables.spark.changes import ChangeRead, net_files, read_changes
from streamtables.spark.log import DeltaLog

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def commit(version: int, adds: str = "", removes: str = "", feed: str = "") -> Commit:
    """A commit of files such as `p` and `q/v`, the second with deletion vector v."""
    actions = [[_file(text) for text in names.split()] for names in (adds, removes, feed)]
    return Commit(version, *map(tuple, actions), None, False, {}, {})


def _file(text: str) -> dict[str, Any]:
    path, _, vector = text.partition("/")
    mark = {"storageType": "u", "pathOrInlineDv": vector, "offset": 1}
    return {"path": path} | ({"deletionVector": mark} if vector else {})


def shown(*commits: Commit, by_feed: bool = False) -> list[tuple[str, str, str]]:
    return [
        tuple(" ".join(map(_text, part)) for part in (level.adds, level.removes, level.feed))
        for level in net_files(commits, by_feed=by_feed)
    ]


def _text(file: Any) -> str:
    vector = file.get("deletionVector")
    return f"{file['path']}/{vector['pathOrInlineDv']}" if vector else str(file["path"])


def test_files_cancel_out() -> None:
    assert shown(commit(1, "p q"), commit(2, "r", "p")) == [("q r", "", "")]
    assert shown(commit(1, "p"), commit(2, "", "p")) == [("", "", "")]
    assert shown(commit(1, "p/1", "p"), commit(2, "p/2", "p/1")) == [("p/2", "p", "")]
    assert shown(commit(1, "p/1", "p"), commit(2, "p", "p/1")) == [("", "", "")]


def test_a_file_restored_behind_an_optimize_counts() -> None:
    # p was rewritten as q without changing rows; the restore takes q away and puts p back.
    assert shown(commit(3, "p", "q")) == [("p", "q", "")]
    assert shown(commit(3, "p", "q"), commit(5, "p/1", "r")) == [
        ("p", "q r", ""),
        ("p/1", "", ""),
    ]


def test_a_file_left_twice_is_read_twice() -> None:
    assert shown(commit(3, "p", "q"), commit(5, "p", "r")) == [("p", "q r", ""), ("p", "", "")]


def test_a_file_on_both_sides_counts_for_the_rows_that_it_hides() -> None:
    def file(path: str, hidden: int) -> dict[str, Any]:
        vector = {"deletionVector": {"cardinality": hidden}} if hidden else {}
        return {"path": path, "stats": '{"numRecords": 10}'} | vector

    assert rows_in_files([file("p", 0)], [file("q", 3)]) == 17
    assert rows_in_files([file("p", 1)], [file("p", 0)]) == 1
    # A restore can hide one row and show another.
    assert rows_in_files([file("p", 1)], [file("p", 1)]) == 2
    assert rows_in_files([{"path": "p"}], []) is None


def test_change_files_stand_for_their_commit() -> None:
    commits = commit(1, "p q"), commit(2, "r", "p", "c")
    assert shown(*commits, by_feed=True) == [("p q", "", "c")]
    assert shown(*commits) == [("q r", "", "")]


class Table:
    """A Delta table, and the check of its changes against its versions."""

    def __init__(self, spark: SparkSession, path: Path, columns: str, *properties: str) -> None:
        self.spark, self.path = spark, str(path)
        self.name = f"delta.`{path}`"
        listed = f"TBLPROPERTIES ({', '.join(properties)})" if properties else ""
        self.run(
            f"CREATE TABLE {{t}} ({columns.replace(' BY ', ') USING delta PARTITIONED BY (')}"
            f"{')' if ' BY ' in columns else ') USING delta'} {listed}"
        )
        self.log = DeltaLog.of(spark, self.path)

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.spark.sql(statement.replace("{t}", self.name))

    def check(self, start: int, end: int, *names: str, how: Any = None) -> ChangeRead:
        expected = difference(self.spark, self.path, start, end, names)
        for is_here in (True, False):
            change = read_changes(
                self.spark, self.log, start, end, names, how, may_stay_here=is_here
            )
            assert weights(change.frame) == expected
        return change


FEED = "'delta.enableChangeDataFeed' = 'true'"
VECTORS = "'delta.enableDeletionVectors' = 'true'"
MAPPING = "'delta.columnMapping.mode' = 'name'"


@pytest.mark.spark
def test_restore_after_optimize_twice(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT", VECTORS)
    table.run(
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id FROM range(5)",
        "DELETE FROM {t} WHERE a = 0",
        "INSERT INTO {t} VALUES (9)",
        "OPTIMIZE {t}",
        "RESTORE TABLE {t} TO VERSION AS OF 1",
        "INSERT INTO {t} VALUES (7)",
        "OPTIMIZE {t}",
        "RESTORE TABLE {t} TO VERSION AS OF 2",
    )
    (first, *rest) = net_files(table.log.commits(2, 8), by_feed=False)
    assert first.adds
    assert rest, "the case no longer leaves a path twice"
    for start in (0, 2, 5):
        table.check(start, 8, "a", how="files")


@pytest.mark.spark
def test_many_rows_are_left_to_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(spark, tmp_path / "t", "a INT")
    table.run("INSERT INTO {t} SELECT CAST(id AS INT) FROM range(5)")
    for most, is_here in ((5, True), (4, False)):
        monkeypatch.setattr(changes, "HERE_ROWS", most)
        change = table.check(0, 1, "a")
        read = read_changes(spark, table.log, 0, 1)
        assert (read.relation.local is not None) is is_here
        assert change.rows_estimate == 5


@pytest.mark.spark
def test_many_rows_of_one_file_are_hidden(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delta's reader of changes takes no deletion vector of more than 64 KB of text."""
    monkeypatch.setattr(changes, "HERE_ROWS", 10)
    table = Table(spark, tmp_path / "t", "a INT", VECTORS)
    table.run(
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(600000)",
        "DELETE FROM {t} WHERE a % 9 = 1",
        "DELETE FROM {t} WHERE a % 9 IN (2, 5)",
    )
    for start, end, how in ((0, 3, "files"), (1, 2, "snapshots"), (2, 3, "snapshots")):
        assert table.check(start, end, "a").how == how


@pytest.mark.spark
def test_a_lost_commit_is_not_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT")
    table.run(*[f"INSERT INTO {{t}} VALUES ({value})" for value in (1, 2, 3)])
    for version in (2, 3):
        (tmp_path / "t" / "_delta_log" / f"{version:020}.json").unlink()
        with pytest.raises(SourceBroken, match="no version 2") as error:
            read_changes(spark, table.log, 0, 3)
        assert error.value.reason is Break.VERSIONS_MISSING


@pytest.mark.spark
def test_vacuumed_files_are_noticed(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT", FEED)
    table.run(
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id FROM range(9)",
        "UPDATE {t} SET a = 20 WHERE a = 1",
    )
    assert table.check(1, 2, "a").how == "feed"
    shutil.rmtree(tmp_path / "t" / "_change_data")
    assert table.check(1, 2, "a").how == "files"
    (removed,) = table.log.commits(1, 2)[0].removes
    (tmp_path / "t" / removed["path"]).unlink()
    with pytest.raises(SourceBroken) as error:
        read_changes(spark, table.log, 1, 2)
    assert error.value.reason is Break.VERSION_VACUUMED


@pytest.mark.spark
def test_a_feed_that_was_on_for_a_while(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT")
    table.run(
        "INSERT INTO {t} VALUES (1), (2), (3)",
        "UPDATE {t} SET a = 20 WHERE a = 2",
        f"ALTER TABLE {{t}} SET TBLPROPERTIES ({FEED})",
        "UPDATE {t} SET a = 30 WHERE a = 3",
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')",
        "UPDATE {t} SET a = 10 WHERE a = 1",
    )
    assert table.check(1, 4, "a").how == "feed"
    assert table.check(1, 6, "a").how == "files"
    with pytest.raises(ValueError, match="cannot be read by feed"):
        read_changes(spark, table.log, 1, 6, how="feed")


@pytest.mark.spark
def test_renamed_and_dropped_columns(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b INT, c INT", MAPPING, FEED)
    table.run(
        "INSERT INTO {t} VALUES (1, 2, 3), (4, 5, 6)",
        "ALTER TABLE {t} RENAME COLUMN b TO d",
        "UPDATE {t} SET a = 7 WHERE a = 1",
        "ALTER TABLE {t} DROP COLUMN c",
        "ALTER TABLE {t} ADD COLUMN c INT",
        "DELETE FROM {t} WHERE a = 4",
    )
    for how in (None, "files", "snapshots"):
        table.check(1, 6, "a", how=how)
    for name in ("b", "c", "d"):
        with pytest.raises(SourceBroken, match=name) as error:
            read_changes(spark, table.log, 1, 6, [name])
        assert error.value.reason is Break.SCHEMA_CHANGED
    with pytest.raises(SourceBroken, match="b, c"):
        read_changes(spark, table.log, 1, 6)


@pytest.mark.spark
def test_partition_columns_that_are_not_in_the_files(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(
        spark, tmp_path / "t", "a INT, p STRING BY p",
        "'delta.writePartitionColumnsToParquet' = 'false'", VECTORS,
    )  # fmt: skip
    table.run(
        "INSERT INTO {t} VALUES (1, 'x y'), (2, NULL), (3, 'ä%/')",
        "UPDATE {t} SET p = 'z' WHERE a = 1",
        "DELETE FROM {t} WHERE p = 'ä%/'",
    )
    table.check(0, 3, "p", "a", how="files")
    table.check(1, 3, "p", how="files")


@pytest.mark.spark
def test_a_new_layout_in_the_range(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b INT")
    table.run("INSERT INTO {t} VALUES (1, 1), (2, 2)")
    write = table.spark.sql("SELECT 1 AS a, 1 AS b").write.format("delta").mode("overwrite")
    write.option("overwriteSchema", "true").partitionBy("b").save(table.path)
    assert table.check(1, 2, "a", "b").how == "snapshots"


@pytest.mark.spark
def test_a_type_that_changed_and_changed_back(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b INT")
    table.run("INSERT INTO {t} VALUES (1, 1), (2, 2)")
    for select in ("SELECT 'x' AS a, 1 AS b", "SELECT 3 AS a, 1 AS b"):
        write = table.spark.sql(select).write.format("delta").mode("overwrite")
        write.option("overwriteSchema", "true").save(table.path)
    assert table.check(1, 3, "a", "b").how == "snapshots"
    assert table.check(1, 3, "b").how == "files"
    with pytest.raises(SourceBroken, match="changed: a"):
        read_changes(spark, table.log, 1, 2)


@pytest.mark.spark
def test_values_that_group_in_their_own_way(spark: SparkSession, tmp_path: Path) -> None:
    columns = "x DOUBLE, v VARIANT, s STRUCT<v: VARIANT>, m MAP<STRING, DOUBLE>"
    table = Table(spark, tmp_path / "t", columns)
    row = "(double('NaN'), parse_json('{0}'), named_struct('v', parse_json('{0}')), map{1})"
    one, other = row.format("1", "('a', 1, 'b', 2)"), row.format("1.5", "('b', 2, 'a', 1)")
    table.run(
        f"INSERT INTO {{t}} VALUES {one}, {one}",
        "INSERT INTO {t} VALUES (-0.0D, NULL, NULL, map('b', 2, 'a', 1))",
        f"INSERT OVERWRITE {{t}} VALUES {one}, {other}",
        "INSERT INTO {t} VALUES (0.0D, parse_json('null'), named_struct('v', NULL), map())",
    )
    for how in ("files", "snapshots"):
        table.check(1, 4, "x", "v", "s", "m", how=how)
        table.check(0, 2, "m", "x", how=how)


@pytest.mark.spark
def test_nothing_changed_and_nothing_wanted(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT, b STRING")
    table.run("INSERT INTO {t} VALUES (1, 'x'), (2, 'y')", "OPTIMIZE {t}")
    table.run("INSERT INTO {t} VALUES (3, 'z')", "OPTIMIZE {t}")
    for start, end in ((3, 3), (3, 4)):
        change = read_changes(spark, table.log, start, end)
        assert jobs(spark, lambda read=change: read.frame.collect()) == 0
        assert (change.frame.columns, change.rows_estimate) == (["a", "b", "_weight"], 0)
    change = read_changes(spark, table.log, 0, 4, [])
    assert weights(change.frame) == Counter({(): 3})
    assert weights(read_changes(spark, table.log, 0, 4, ["B"]).frame) == {
        ("x",): 1,
        ("y",): 1,
        ("z",): 1,
    }


@pytest.mark.spark
def test_a_change_that_was_undone(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT")
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    table.run("RESTORE TABLE {t} TO VERSION AS OF 1")
    for how in (None, "snapshots"):
        assert table.check(1, 3, "a", how=how).rows_estimate == 0


@pytest.mark.spark
def test_a_range_is_read_as_of_its_end_in_any_session(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path / "t", "a INT")
    table.run("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    changes = [
        read_changes(spark.newSession(), table.log, 0, 1, how=how) for how in ("files", "snapshots")
    ]
    table.run("INSERT INTO {t} VALUES (3)", "ALTER TABLE {t} ADD COLUMN b INT", "DELETE FROM {t}")
    for change in changes:
        assert weights(change.frame) == {(1,): 1}
