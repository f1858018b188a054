"""Starting and stopping the JVM of this process, from pyspark's own Spark."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from streamtables.spark.java import find_java

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark import SparkConf

_GREETINGS = ("WARNING: Using incubator modules",)


def start_jvm(conf: SparkConf) -> JavaGateway:
    """Start a JVM with these settings; what it writes to stderr is shown, but not its greeting."""
    import pyspark
    from pyspark.java_gateway import launch_gateway

    os.environ["JAVA_HOME"] = str(find_java())
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    read, write = os.pipe()
    source = os.fdopen(read, encoding="utf-8", errors="replace")
    threading.Thread(target=_pass_on, args=(source,), name="jvm-stderr", daemon=True).start()
    try:
        return launch_gateway(conf, popen_kwargs={"stderr": write})
    finally:
        os.close(write)


def log_options() -> str:
    """The options that keep Spark's log to errors."""
    settings = Path(__file__).with_name("log4j2.properties").as_uri()
    return f"-Dlog4j2.configurationFile={settings}"


def stop_jvm(gateway: JavaGateway) -> None:
    """Stop a JVM and wait for its end."""
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


def _pass_on(source: IO[str]) -> None:
    with source:
        for line in source:
            if not line.startswith(_GREETINGS):
                sys.stderr.write(line)
