"""Delta Lake's JARs: fetched once into the user's cache, taken from there ever after."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

from streamtables.errors import SessionLacks
from streamtables.spark.jvm import log_options, start_jvm, stop_jvm

if TYPE_CHECKING:
    from collections.abc import Iterator

DELTA_VERSION = "4.4.0"

# What Delta needs beyond the JARs that pyspark brings; the Unity Catalog client stays out.
ARTIFACTS = (
    "delta-spark_4.2_2.13",
    "delta-storage",
    "delta-kernel-api",
    "delta-kernel-defaults",
)


def cache_folder() -> Path:
    """Where downloads are kept: `$STREAMTABLES_CACHE`, or the user's cache folder."""
    own = os.environ.get("STREAMTABLES_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "streamtables"


def delta_jars() -> tuple[Path, ...]:
    """Delta Lake's JARs, fetched if the cache lacks one."""
    folder = cache_folder() / "jars" / f"{ARTIFACTS[0]}-{DELTA_VERSION}"
    jars = tuple(folder / f"{artifact}-{DELTA_VERSION}.jar" for artifact in ARTIFACTS)
    if all(jar.is_file() for jar in jars):
        return jars
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / ".lock"):
        if not all(jar.is_file() for jar in jars):
            _fetch(folder)
    return jars


def _fetch(folder: Path) -> None:
    """Let Spark's Ivy fetch the JARs, then move each whole into the folder."""
    sys.stderr.write(f"Fetching Delta Lake {DELTA_VERSION} (once) …\n")
    coordinates = [f"io.delta:{artifact}:{DELTA_VERSION}" for artifact in ARTIFACTS]
    try:
        found = _resolve(coordinates)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        names = ", ".join(f"{artifact}-{DELTA_VERSION}.jar" for artifact in ARTIFACTS)
        raise SessionLacks(
            f"Delta Lake {DELTA_VERSION} could not be fetched: {reason}",
            hint=f"Connect to the network, or put {names} into {folder}.",
        ) from error
    for jar in found:
        part = folder / f".{jar.name}.{os.getpid()}"
        shutil.copyfile(jar, part)
        part.replace(folder / jar.name.removeprefix("io.delta_"))


def _resolve(coordinates: list[str]) -> list[Path]:
    """The local files of the coordinates, by the resolvers of `spark.jars.packages`."""
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkConf

    conf = SparkConf(loadDefaults=False).set(
        "spark.driver.extraJavaOptions", f"{log_options()} {_proxy_options()}"
    )
    with _environment("DEFAULT_ARTIFACT_REPOSITORY", _maven_mirror()):
        gateway = start_jvm(conf)
    try:
        jvm: Any = gateway.jvm
        maven = jvm.org.apache.spark.util.MavenUtils
        nothing = jvm.scala.Option.empty()
        log = jvm.java.io.PrintStream(jvm.java.io.OutputStream.nullOutputStream())
        paths = maven.resolveMavenCoordinates(
            ",".join(coordinates),
            maven.buildIvySettings(nothing, nothing, True, log),
            jvm.scala.Option.apply(maven.buildIvySettings(nothing, nothing, False, log)),
            False,  # not what they depend on: Spark brings that
            getattr(jvm, "scala.collection.immutable.Nil$").__getattr__("MODULE$"),
            False,
            log,
        )
        return [Path(path) for path in paths.mkString("\n").split("\n")]
    except Py4JJavaError as error:  # its text comes from the JVM, so read it while that lives
        raise RuntimeError(error.java_exception.getMessage()) from None
    finally:
        stop_jvm(gateway)


def _proxy_options() -> str:
    """The proxies of the environment as Java wants them."""
    options = []
    for scheme in ("http", "https"):
        proxy = os.environ.get(f"{scheme}_proxy") or os.environ.get(f"{scheme.upper()}_PROXY")
        address = urlsplit(proxy or "")
        if address.hostname:
            options.append(f"-D{scheme}.proxyHost={address.hostname}")
            options.append(f"-D{scheme}.proxyPort={address.port or 80}")
    return " ".join(options)


def _maven_mirror() -> str | None:
    """The repository that the user's Maven settings put in the place of the central one."""
    settings = Path.home() / ".m2" / "settings.xml"
    if not settings.is_file():
        return None
    for mirror in ElementTree.parse(settings).getroot().iterfind(".//{*}mirror"):
        of = (mirror.findtext("{*}mirrorOf") or "").split(",")
        if {"*", "central", "external:*"} & {name.strip() for name in of}:
            return mirror.findtext("{*}url")
    return None


@contextmanager
def _environment(name: str, value: str | None) -> Iterator[None]:
    """Set a variable for a while, where the user has not set it."""
    if value is None or name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file lock, so that two first starts at once fetch once."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
