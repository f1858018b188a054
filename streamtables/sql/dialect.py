"""Spark SQL as sqlglot reads it for us: functions stay exactly as the analyst wrote them.

sqlglot's own Spark dialect understands hundreds of functions and writes them back in its own words (`to_timestamp(x)`
becomes a CAST). A query that is maintained must mean the same to the letter, so here only the aggregates that the
rules treat by name are understood, and every other function is a name with arguments.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.spark import Spark

UNDERSTOOD = ("SUM", "COUNT", "AVG", "MIN", "MAX")


class Exact(Spark):
    """Spark SQL with functions kept verbatim."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        """The parser of Spark SQL that understands no function it need not."""

        FUNCTIONS: ClassVar = {name: Spark.Parser.FUNCTIONS[name] for name in UNDERSTOOD}
