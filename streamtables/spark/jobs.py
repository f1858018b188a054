"""Spark's jobs of one piece of work: named on Spark's own pages, in a pool of their own, and counted."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from streamtables.spark.relations import CONSTANT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    Jobs = Callable[[SparkSession, str], AbstractContextManager[Callable[[], int] | None]]
    """Makes a session ready for the jobs of something, and gives what counts them, if anything can."""

_DESCRIPTION = "spark.job.description"
_POOL = "spark.scheduler.pool"
_FILE_PARTS = "spark.sql.files.minPartitionNum"
ONE_PART = "spark.sql.leafNodeDefaultParallelism"
_CONSTANTS = "spark.sql.execution.arrow.localRelationThreshold"


@contextmanager
def counted_jobs(spark: SparkSession, what: str) -> Iterator[Callable[[], int]]:
    """Name the jobs that this thread starts in the block; gives how many there were so far.

    By a tag, which leaves the group alone that a caller may have set to cancel by. Of more jobs than
    `spark.ui.retainedJobs`, in all threads together, Spark remembers the newest only.
    """
    context: Any = spark.sparkContext
    tag = f"streamtables-{uuid.uuid4().hex}"
    before = {name: context.getLocalProperty(name) for name in (_DESCRIPTION, _POOL)}
    context.addJobTag(tag)
    # Where Spark's scheduler is fair, pools share its cores: a small refresh need not wait behind a large one.
    for name in before:
        context.setLocalProperty(name, what)
    try:
        yield lambda: len(context._jsc.sc().statusTracker().getJobIdsForTag(tag))
    finally:
        context.removeJobTag(tag)
        for name, value in before.items():
            context.setLocalProperty(name, value)


@contextmanager
def small_jobs(spark: SparkSession, what: str) -> Iterator[Callable[[], int]]:
    """A session made ready for jobs on few rows; gives how many there were so far."""
    few_tasks(spark)
    with counted_jobs(spark, what) as jobs:
        yield jobs


def few_tasks(spark: SparkSession) -> None:
    """Keep rows that are on the driver in one partition of a session, which spares them the shuffle.

    Files are read in as many parts as before.
    """
    if spark.conf.get(_FILE_PARTS, None) is None:
        spark.conf.set(_FILE_PARTS, str(spark.sparkContext.defaultParallelism))
    spark.conf.set(ONE_PART, "1")
    spark.conf.set(_CONSTANTS, str(CONSTANT_BYTES))
