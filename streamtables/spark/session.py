"""A local Spark session with Delta Lake, and the check of one that the user brings."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from streamtables.errors import SessionLacks
from streamtables.spark.archive import archive_options
from streamtables.spark.jars import ARTIFACTS, DELTA_VERSION, delta_jars
from streamtables.spark.java import find_java
from streamtables.spark.jvm import log_options, start_jvm
from streamtables.spark.settings import CATALOG, COMPILER, EXTENSION, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark import SparkConf
    from pyspark.sql import SparkSession

UNITY_CATALOG = "io.unitycatalog.spark.UCSingleCatalog"

_LISTS = {
    "spark.sql.extensions": ",",
    "spark.jars": ",",
    "spark.driver.extraClassPath": os.pathsep,
    "spark.driver.extraJavaOptions": " ",
}


def create_session(
    warehouse: str = "./warehouse",
    *,
    app_name: str = "streamtables",
    master: str = "local[*]",
    config: Mapping[str, str] | None = None,
) -> SparkSession:
    """A Spark session with Delta Lake, tuned for many small refreshes; `config` has the last word.

    The session of this process is returned if it has the same warehouse. What spark-submit was told stands above all.
    """
    # What pandas is installed concerns no stream table: none uses it.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    place, config = location(warehouse), {**(config or {}), **_submitted()}
    master = config.get("spark.master", master)
    _say_errors_once()
    if master.startswith("sc://"):
        return require(SparkSession.builder.remote(master).getOrCreate())
    if SparkContext._active_spark_context is not None:
        return _same_warehouse(require(SparkSession.builder.getOrCreate()), place)
    if SparkContext._gateway is None:
        conf = _conf(place, app_name, master, config, delta_jars())
        SparkContext._ensure_initialized(gateway=start_jvm(conf), conf=conf)
    else:  # the JVM of a stopped session serves the next one
        conf = _conf(place, app_name, master, config, ())
    return require(SparkSession.builder.config(conf=conf).getOrCreate())


def _submitted() -> dict[str, str]:
    """The settings of the spark-submit that has started this process, and its JVM."""
    from pyspark import SparkConf, SparkContext

    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, which reaches no JVM."""
    return getattr(spark, "_jsparkSession", None) is None


def require(spark: SparkSession) -> SparkSession:
    """The session itself if it has Delta Lake, else one error that names all it lacks."""
    if os.environ.get("DATABRICKS_RUNTIME_VERSION"):
        return spark
    lacks = _lacks(spark)
    if lacks:
        lines = "\n".join(f'  .config("{key}", "{value}")' for key, value in lacks.items())
        raise SessionLacks(
            "The Spark session lacks Delta Lake",
            hint=f"Add to its builder, before the session starts:\n{lines}",
        )
    return spark


def active_session() -> tuple[SparkSession, str]:
    """The Spark session of this thread and its warehouse."""
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None:
        raise SessionLacks(
            "There is no active Spark session",
            hint="Make one: streamtables.create_session(warehouse=...).",
        )
    return spark, str(spark.conf.get("spark.sql.warehouse.dir"))


def startup_times(warehouse: str, *, master: str = "local[*]") -> dict[str, float]:
    """The seconds of each step from nothing to an answer from a Delta table."""
    times: dict[str, float] = {}
    mark = time.perf_counter()

    def note(step: str) -> None:
        nonlocal mark
        now = time.perf_counter()
        times[step], mark = now - mark, now

    import pyspark.sql  # noqa: F401

    note("import pyspark")
    find_java()
    note("find Java")
    delta_jars()
    note("find Delta Lake")
    spark = create_session(warehouse, master=master)
    note("start the session")
    table = str(Path(warehouse).absolute() / "startup_times")
    spark.range(1).write.format("delta").mode("append").save(table)
    note("write a table")
    spark.read.format("delta").load(table).count()
    note("read it")
    return times


def _say_errors_once() -> None:
    """An error is raised with all it has to say: PySpark would print it first, with both stacks."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


def _lacks(spark: SparkSession) -> dict[str, str]:
    """The settings that a session needs to have and has not."""
    lacks = {}
    if EXTENSION not in (spark.conf.get("spark.sql.extensions", None) or ""):
        lacks["spark.sql.extensions"] = EXTENSION
    catalog = spark.conf.get("spark.sql.catalog.spark_catalog", None)
    if catalog not in (CATALOG, UNITY_CATALOG):
        lacks["spark.sql.catalog.spark_catalog"] = CATALOG
    jvm: Any = None if is_remote(spark) else spark._jvm
    if jvm is not None and not jvm.org.apache.spark.util.Utils.classIsLoadable(EXTENSION):
        lacks["spark.jars.packages"] = f"io.delta:{ARTIFACTS[0]}:{DELTA_VERSION}"
    return lacks


def location(warehouse: str) -> str:
    """A folder as its full path, a place in an object store as it is."""
    is_folder = urlsplit(warehouse).scheme == ""
    return str(Path(warehouse).expanduser().absolute()) if is_folder else warehouse


def _same_warehouse(spark: SparkSession, place: str) -> SparkSession:
    value = spark.conf.get("spark.sql.warehouse.dir", None) or ""
    has = unquote(urlsplit(value).path) if value.startswith("file:") else value
    if has != place:
        raise SessionLacks(
            f"A Spark session with another warehouse, {has}, is running in this process",
            hint="Stop it first: spark.stop().",
        )
    return spark


def _conf(
    place: str, app_name: str, master: str, config: Mapping[str, str], jars: tuple[Path, ...]
) -> SparkConf:
    """All settings: ours, then the caller's over them; where a setting is a list, both."""
    from pyspark import SparkConf

    java_options = f"-Duser.timezone=UTC {COMPILER} {log_options()} {archive_options(find_java())}"
    class_path = os.pathsep.join(map(str, jars))
    settings = {
        **SETTINGS,
        "spark.app.name": app_name,
        "spark.master": master,
        "spark.sql.warehouse.dir": place,
        "spark.sql.shuffle.partitions": str(_cores(master)),
        "spark.driver.memory": f"{_memory_mb()}m",
        "spark.driver.extraClassPath": class_path,
        "spark.driver.extraJavaOptions": java_options.rstrip(),
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    else:
        settings["spark.jars"] = ",".join(map(str, jars))
    for key, value in config.items():
        joint = _LISTS.get(key)
        own = settings.get(key)
        settings[key] = f"{own}{joint}{value}" if own and joint else str(value)
    return SparkConf(loadDefaults=False).setAll(list(settings.items()))


def _cores(master: str) -> int:
    """The tasks that run at once: the number in `local[n]`, else the cores of this machine."""
    number = re.fullmatch(r"local\[(\d+)(?:,.*)?\]", master)
    if number:
        return int(number[1])
    return 1 if master == "local" else os.cpu_count() or 1


def _memory_mb() -> int:
    """A third of the memory that this machine or container has, from 1 to 8 GB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.is_file():
        text = limit.read_text(encoding="ascii").strip()
        total = min(total, int(text)) if text.isdigit() else total
    return max(1024, min(8192, total // 3 // 2**20))


def main() -> None:
    """Print where the time of a start goes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        times = startup_times(folder)
    for step, seconds in times.items():
        sys.stdout.write(f"{seconds:6.2f} s  {step}\n")
    sys.stdout.write(f"{sum(times.values()):6.2f} s  in all\n")


if __name__ == "__main__":
    main()
