"""An archive of the classes that Spark and Delta Lake load: a start from it is a third quicker.

`python -m streamtables.spark.archive` makes it (half a minute, 200 MB in the user's cache); every
later session of the same Java and the same pyspark uses it. Java itself checks that it fits.
"""

from __future__ import annotations

import os
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from streamtables.spark.jars import DELTA_VERSION, cache_folder
from streamtables.spark.java import find_java
from streamtables.spark.jvm import stop_jvm

_SILENT = "-Xlog:disable -Xlog:all=error:stderr"

# What a refresh does, so that the archive holds the classes of a refresh.
_STATEMENTS = (
    "CREATE TABLE {t} (k INT, v STRING) USING delta"
    " TBLPROPERTIES (delta.enableChangeDataFeed = true)",
    "INSERT INTO {t} VALUES (1, 'a'), (2, 'b')",
    "MERGE INTO {t} t USING (SELECT 2 AS k, 'c' AS v UNION ALL SELECT 3, 'd') s ON t.k <=> s.k"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} WHERE k IN (1, 7)",
    "SELECT v, count(*) FROM {t} VERSION AS OF 1 GROUP BY v",
    "SELECT a.k FROM {t} a LEFT JOIN {t} b ON a.k <=> b.k EXCEPT ALL SELECT k FROM {t}",
    "SELECT * FROM table_changes('{t}', 0)",
    "DESCRIBE HISTORY {t}",
)


def archive_path(java_home: Path) -> Path:
    """Where the archive of this Java and this pyspark lies, if it was made."""
    import pyspark

    parts = (java_home.resolve(), Path(pyspark.__file__).resolve(), pyspark.__version__)
    key = sha256("\n".join(map(str, (*parts, DELTA_VERSION))).encode()).hexdigest()[:16]
    return cache_folder() / "classes" / f"{key}.jsa"


def archive_options(java_home: Path) -> str:
    """The options that make a JVM use the archive, or none where there is none."""
    path = archive_path(java_home)
    return f'"-XX:SharedArchiveFile={path}" {_SILENT}' if path.is_file() else ""


def make_archive() -> Path:
    """Make the archive anew, from a short session of its own; no session may run in the process."""
    from pyspark import SparkContext

    from streamtables.spark.session import create_session

    path = archive_path(find_java())
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    dump = f'"-XX:ArchiveClassesAtExit={part}" {_SILENT}'
    with tempfile.TemporaryDirectory() as folder:
        spark = create_session(folder, config={"spark.driver.extraJavaOptions": dump})
        for statement in _STATEMENTS:
            spark.sql(statement.format(t="archived")).collect()
        spark.stop()
    gateway = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    if gateway is not None:
        stop_jvm(gateway)
    part.replace(path)
    return path


if __name__ == "__main__":
    sys.stderr.write("Archiving Spark's classes (once) …\n")
    make_archive()
