"""Spark's jobs of one piece of work, named on Spark's own pages and counted."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

_DESCRIPTION = "spark.job.description"


@contextmanager
def counted_jobs(spark: SparkSession, what: str) -> Iterator[Callable[[], int]]:
    """Name the jobs that this thread starts in the block; gives how many there were so far.

    By a tag, which leaves the group alone that a caller may have set to cancel by. Of more jobs than
    `spark.ui.retainedJobs`, in all threads together, Spark remembers the newest only.
    """
    context: Any = spark.sparkContext
    tag, before = f"streamtables-{uuid.uuid4().hex}", context.getLocalProperty(_DESCRIPTION)
    context.addJobTag(tag)
    context.setLocalProperty(_DESCRIPTION, what)
    try:
        yield lambda: len(context._jsc.sc().statusTracker().getJobIdsForTag(tag))
    finally:
        context.removeJobTag(tag)
        context.setLocalProperty(_DESCRIPTION, before)
