"""An epoch on Spark: collected, committed as one change, told row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamtables
from streamtables.errors import InvalidQuery, StreamTablesError
from streamtables.shell.epoch import Epoch, TableChange
from streamtables.shell.grammar import read_whole
from streamtables.shell.prompt import Conversation

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_an_epoch(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE SCHEMA epochs")
    spark.sql("CREATE TABLE epochs.t (k STRING, x INT) USING delta")
    spark.sql("INSERT INTO epochs.t VALUES ('a', 1), ('b', 2)")
    st = streamtables.StreamTables(spark, str(tmp_path))
    st.create_stream_table("epochs.s", "SELECT k, sum(x) AS x FROM epochs.t GROUP BY k")
    try:
        news = st.watch("epochs.s", every=0.01)
        said: list[str] = []
        talk = Conversation(st, said.append, lambda answer: said.append(str(answer)))
        for command in read_whole(
            "INSERT INTO epochs.t VALUES ('a', 10), ('c', 5); DELETE FROM epochs.t WHERE k = 'b'"
        ):
            assert talk.take(command)
        assert spark.table("epochs.t").count() == 2
        assert talk.pending_count == 2
        talk.take(read_whole("commit")[0])
        lines = said[2].splitlines()
        assert lines[0].startswith("epochs.s  INCREMENTAL (CHANGE_SMALL)  +2 -2  ")
        assert lines[1:] == ["  - a, 1", "  + a, 11", "  - b, 2", "  + c, 5"]
        assert talk.pending_count == 0
        _, frame = next(news)
        assert sorted(row[-1] for row in frame.collect()) == [-1, -1, 1, 1]

        epoch = Epoch(st)
        with pytest.raises(StreamTablesError, match=r"epochs\.s is a stream table"):
            epoch.add("DELETE FROM epochs.s", "epochs.s")
        with pytest.raises(InvalidQuery, match="nowhere"):
            epoch.add("INSERT INTO epochs.nowhere VALUES (1)", "epochs.nowhere")
        epoch.add("DELETE FROM epochs.t", "epochs.t")
        assert epoch.rollback() == 1
        (change,) = epoch.commit()
        assert isinstance(change, TableChange)
        assert change.refresh.reason == "NO_CHANGE"
        assert st.verify("epochs.s")
        assert "epochs.s" in talk.words()

        for text in (
            "INSERT INTO epochs.t VALUES ('d', 1)",
            "DELETE FROM epochs.t WHERE 1 DIV (x - x) = 1",
        ):
            epoch.add(text, "epochs.t")
        with pytest.raises(StreamTablesError, match=r"1 statements before it were applied: .*ZERO"):
            list(epoch.commit())
        assert epoch.rollback() == 1
        assert [change.refresh.rows_inserted for change in epoch.commit()] == [1]  # type: ignore[union-attr]
    finally:
        st.drop_stream_table("epochs.s")
        spark.sql("DROP SCHEMA epochs CASCADE")
        st.close()
