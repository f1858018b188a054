"""The session we make, and the check of one that the user brings."""

from __future__ import annotations

import io
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from helpers.process import environment

import streamtables
from streamtables.errors import SessionLacks
from streamtables.spark import session
from streamtables.spark.archive import archive_options, archive_path
from streamtables.spark.java import find_java
from streamtables.spark.jvm import _pass_on
from streamtables.spark.relations import LITERAL_KEYS
from streamtables.spark.session import CATALOG, EXTENSION, UNITY_CATALOG, require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WITH_DELTA = {"spark.sql.extensions": EXTENSION, "spark.sql.catalog.spark_catalog": CATALOG}


def brought(conf: dict[str, str], *, loadable: bool = True) -> Any:
    utils = SimpleNamespace(classIsLoadable=lambda name: loadable)
    spark = SimpleNamespace(util=SimpleNamespace(Utils=utils))
    jvm = SimpleNamespace(org=SimpleNamespace(apache=SimpleNamespace(spark=spark)))
    return SimpleNamespace(conf=conf, _jvm=jvm, _jsparkSession=object())


def conf(config: dict[str, str] | None = None, master: str = "local[3]") -> dict[str, str]:
    jars = (Path("/c/a.jar"), Path("/c/b.jar"))
    return dict(session._conf("/w", "app", master, config or {}, jars).getAll())


class TestRequire:
    @pytest.mark.parametrize("catalog", [CATALOG, UNITY_CATALOG])
    def test_a_session_with_delta(self, catalog: str) -> None:
        spark = brought(WITH_DELTA | {"spark.sql.catalog.spark_catalog": catalog})
        assert require(spark) is spark

    def test_delta_among_other_extensions(self) -> None:
        spark = brought(WITH_DELTA | {"spark.sql.extensions": f"org.example.Other,{EXTENSION}"})
        assert require(spark) is spark

    def test_all_that_is_missing_in_one_error(self) -> None:
        with pytest.raises(SessionLacks) as caught:
            require(brought({}, loadable=False))
        message = str(caught.value)
        assert f'.config("spark.sql.extensions", "{EXTENSION}")' in message
        assert f'.config("spark.sql.catalog.spark_catalog", "{CATALOG}")' in message
        assert '.config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")' in message

    def test_only_what_is_missing(self) -> None:
        with pytest.raises(SessionLacks) as caught:
            require(brought({"spark.sql.extensions": EXTENSION}))
        assert "spark_catalog" in str(caught.value)
        assert "spark.sql.extensions" not in str(caught.value)
        assert "packages" not in str(caught.value)

    def test_spark_connect_has_no_jvm_to_ask(self) -> None:
        spark: Any = SimpleNamespace(conf=WITH_DELTA)
        assert session.is_remote(spark)
        assert require(spark) is spark
        with pytest.raises(SessionLacks, match="extensions"):
            require(SimpleNamespace(conf={}))  # type: ignore[arg-type]

    def test_databricks_has_delta(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "17.3")
        spark = brought({})
        assert require(spark) is spark


class TestSettings:
    @pytest.fixture(autouse=True)
    def _no_jvm(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session, "find_java", lambda: Path("/java"))
        monkeypatch.setattr(session, "archive_options", lambda _: "")
        monkeypatch.setattr("pyspark.SparkContext._jvm", None)

    def test_utc_inside_and_out(self) -> None:
        assert conf()["spark.sql.session.timeZone"] == "UTC"
        assert "-Duser.timezone=UTC" in conf()["spark.driver.extraJavaOptions"]

    def test_the_caller_has_the_last_word(self) -> None:
        assert conf({"spark.sql.adaptive.enabled": "true"})["spark.sql.adaptive.enabled"] == "true"

    @pytest.mark.parametrize(
        ("key", "joined"),
        [
            ("spark.sql.extensions", f"{EXTENSION},own"),
            ("spark.driver.extraClassPath", "/c/a.jar:/c/b.jar:own"),
            ("spark.jars", "own"),
        ],
    )
    def test_lists_are_joined(self, key: str, joined: str) -> None:
        assert conf({key: "own"})[key] == joined

    def test_java_options_are_joined(self) -> None:
        options = conf({"spark.driver.extraJavaOptions": "-Dx=1"})["spark.driver.extraJavaOptions"]
        assert options.startswith("-Duser.timezone=UTC ")
        assert options.endswith(" -Dx=1")

    def test_a_cluster_gets_the_jars_and_our_address(self) -> None:
        settings = conf(master="spark://host:7077")
        assert settings["spark.jars"] == "/c/a.jar,/c/b.jar"
        assert "spark.driver.host" not in settings

    @pytest.mark.parametrize(
        ("master", "cores"), [("local", 1), ("local[3]", 3), ("local[4,2]", 4)]
    )
    def test_as_many_shuffle_partitions_as_cores(self, master: str, cores: int) -> None:
        assert conf(master=master)["spark.sql.shuffle.partitions"] == str(cores)

    def test_memory_is_bounded(self) -> None:
        assert 1024 <= session._memory_mb() <= 8192

    def test_places(self) -> None:
        assert session.location("a/b") == str(Path.cwd() / "a" / "b")
        assert session.location("~/w") == str(Path.home() / "w")
        assert session.location("s3a://bucket/w") == "s3a://bucket/w"


def test_the_greeting_is_dropped_and_errors_pass(capsys: pytest.CaptureFixture[str]) -> None:
    _pass_on(io.StringIO("WARNING: Using incubator modules: x\njava.lang.OutOfMemoryError\n"))
    assert capsys.readouterr().err == "java.lang.OutOfMemoryError\n"


def test_the_archive_is_used_once_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMTABLES_CACHE", str(tmp_path))
    assert archive_options(Path("/java")) == ""
    archive = archive_path(Path("/java"))
    archive.parent.mkdir()
    archive.touch()
    assert f'"-XX:SharedArchiveFile={archive}"' in archive_options(Path("/java"))
    assert archive_path(Path("/other")) != archive


@pytest.mark.spark
class TestWithSpark:
    def test_delta_answers(self, spark: SparkSession, tmp_path: Path) -> None:
        spark.range(3).write.format("delta").save(str(tmp_path / "t"))
        assert spark.read.format("delta").load(str(tmp_path / "t")).count() == 3
        assert require(spark) is spark

    def test_utc(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        assert jvm.java.util.TimeZone.getDefault().getID() == "UTC"
        assert spark.sql("SELECT current_timezone()").collect()[0][0] == "UTC"

    def test_java_is_the_one_found(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        home = Path(jvm.java.lang.System.getProperty("java.home"))
        assert home.resolve() == find_java().resolve()

    def test_the_same_session_for_the_same_warehouse(self, one_spark: SparkSession) -> None:
        warehouse = one_spark.conf.get("spark.sql.warehouse.dir")
        assert warehouse is not None
        again = streamtables.create_session(warehouse.removeprefix("file:"))
        assert again is one_spark

    def test_another_warehouse_is_refused(self, spark: SparkSession, tmp_path: Path) -> None:
        with pytest.raises(SessionLacks, match="another warehouse"):
            streamtables.create_session(str(tmp_path))

    def test_quiet_from_start_to_stop_and_again(self, tmp_path: Path) -> None:
        """Two warehouses one after the other: no output, and no file but in them."""
        script = """
            import sys, streamtables
            for warehouse in sys.argv[1:]:
                spark = streamtables.create_session(warehouse, config={"spark.driver.memory": "1g"})
                spark.sql("CREATE TABLE t USING delta AS SELECT 1 AS n")
                spark.sql("UPDATE t SET n = 2")
                for wrong in ("raise_error('no')", "1 DIV (n - 2)"):
                    try:
                        spark.sql(f"SELECT {wrong} FROM t").collect()
                    except Exception:
                        pass
                spark.stop()
        """
        here = tmp_path / "here"
        here.mkdir()
        warehouses = [str(tmp_path / "a house"), str(tmp_path / "b")]
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), *warehouses],
            cwd=here,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert not list(here.iterdir())
        assert all(Path(warehouse, "t", "_delta_log").is_dir() for warehouse in warehouses)


@pytest.mark.spark
def test_long_lists_of_keys_fit_on_the_stack(spark: SparkSession, tmp_path: Path) -> None:
    """Parquet walks a list it is given for pruning by recursion; where that overflows, the process ends."""
    spark.range(50_000).write.parquet(f"{tmp_path}/rows")
    keys = ", ".join(str(number * 7919 % 50_000) for number in range(LITERAL_KEYS))
    rows = spark.read.parquet(f"{tmp_path}/rows").where(f"id IN ({keys})")
    assert rows.count() == LITERAL_KEYS
