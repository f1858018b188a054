"""What a failure means: whether trying again may help, and whether Spark is still there."""

from __future__ import annotations

from typing import Any

from streamtables.errors import Busy, CommitLost, RegistryUnreachable, StreamTablesError

_OURS = (Busy, CommitLost, RegistryUnreachable)
# Classes of SQLSTATE that the same query on the same data meets again: what is not supported, more than one row, bad
# data, bad SQL or names that are not there, too long or too complex.
_AGAIN = ("0A", "21", "22", "42", "54")


def is_transient(error: Exception) -> bool:
    """Whether an error may be gone when the same is tried again."""
    from pyspark.errors import PySparkException

    if isinstance(error, StreamTablesError):
        return isinstance(error, _OURS)
    if isinstance(error, PySparkException):
        return not (error.getSqlState() or "").startswith(_AGAIN)
    return True


def is_alive(context: Any) -> bool:
    """Whether a Spark context and its JVM are there."""
    from py4j.protocol import Py4JError

    try:
        return context._jsc is not None and not context._jsc.sc().isStopped()
    except (Py4JError, OSError):
        return False


def forget_dead() -> None:
    """Let this process start another session where the last, or its JVM, has died, which PySpark does not expect."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context: Any = SparkContext
    session: Any = SparkSession
    gateway, active = context._gateway, context._active_spark_context
    if gateway is None or active is None:
        return
    if _answers(gateway):
        if not is_alive(active):
            active.stop()
    else:
        context._active_spark_context = context._gateway = context._jvm = None
        active._jsc = None
        gateway.shutdown()
    session._instantiatedSession = None if active._jsc is None else session._instantiatedSession


def _answers(gateway: Any) -> bool:
    from py4j.protocol import Py4JError

    try:
        gateway.jvm.System.nanoTime()
    except (Py4JError, OSError):
        return False
    return True
