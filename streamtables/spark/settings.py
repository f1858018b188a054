"""What sessions of our own are set to, before anybody else has a word."""

from __future__ import annotations

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"

SETTINGS = {
    "spark.sql.extensions": EXTENSION,
    "spark.sql.catalog.spark_catalog": CATALOG,
    "spark.sql.catalogImplementation": "in-memory",
    # In any other zone Delta checks its file list after every commit, at twice the cost.
    "spark.sql.session.timeZone": "UTC",
    "spark.databricks.delta.allFilesInCrc.enabled": "false",
    # Refreshes are many and small: few tasks, no work added to a commit.
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.databricks.delta.autoCompact.enabled": "false",
    "spark.databricks.delta.optimizeWrite.enabled": "false",
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false",
    "spark.databricks.io.skipping.mdc.sortWithinFiles": "true",
    # Each table that is refreshed has some hundred pieces of generated code: at the usual hundred in all, each refresh
    # compiles its own anew.
    "spark.sql.codegen.cache.maxEntries": "5000",
    "spark.sql.adaptive.enabled": "false",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",
    # Parquet walks a longer list on the stack, which ends the whole process where it does not fit.
    "spark.sql.parquet.pushdown.inFilterThreshold": "300",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # For errors to name the line of Python that made a DataFrame, each call on one would take a dozen more.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "20",
    "spark.ui.retainedTasks": "200",
    "spark.sql.ui.retainedExecutions": "20",
}

# Refreshes run much code, each piece a few times: at its usual thresholds the JVM's second compiler takes half of the
# processor for the first minutes, of few cores from the refreshes themselves.
COMPILER = (
    "-XX:Tier4InvocationThreshold=20000 -XX:Tier4MinInvocationThreshold=2400 "
    "-XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=160000"
)
