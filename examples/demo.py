"""The main job, end to end: stream tables over two sources, two batches of changes, and the proof.

Run it with `make demo`; `ROWS=1000000` makes the sources larger.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time

import streamtables

ROWS = int(os.environ.get("ROWS", "300000"))
TABLES = {
    "shop.revenue": (
        "revenue per country: a join and an aggregate",
        "SELECT c.country, count(*) AS orders, sum(o.amount) AS revenue "
        "FROM shop.orders o JOIN shop.customers c ON o.customer = c.id GROUP BY c.country",
    ),
    "shop.big_orders": (
        "a join, filtered: a bag of rows",
        "SELECT o.id, c.name, o.amount FROM shop.orders o JOIN shop.customers c "
        "ON o.customer = c.id WHERE o.amount > 990",
    ),
    "shop.active": ("DISTINCT", "SELECT DISTINCT customer FROM shop.orders"),
    "shop.silent": (
        "EXCEPT ALL: customers without an order",
        "SELECT id FROM shop.customers EXCEPT ALL SELECT customer FROM shop.active",
    ),
    "shop.podium": (
        "the three largest orders per country: a window",
        "SELECT country, id, amount, place FROM (SELECT c.country, o.id, o.amount, "
        "row_number() OVER (PARTITION BY c.country ORDER BY o.amount DESC, o.id) AS place "
        "FROM shop.orders o JOIN shop.customers c ON o.customer = c.id) WHERE place <= 3",
    ),
    "shop.modest": (
        "NOT EXISTS: customers without a large order",
        "SELECT c.id, c.name FROM shop.customers c WHERE NOT EXISTS "
        "(SELECT 1 FROM shop.orders o WHERE o.customer = c.id AND o.amount > 990)",
    ),
    "shop.best": (
        "a stream table over a stream table",
        "SELECT country, revenue FROM shop.revenue WHERE revenue > 3000000",
    ),
}

BATCHES = (
    (
        "INSERT INTO shop.orders SELECT 1000000 + id, id % 500, 995 FROM range(200)",
        "UPDATE shop.orders SET amount = amount + 1 WHERE id % 3000 = 7",
        "DELETE FROM shop.orders WHERE customer = 42",
        "UPDATE shop.customers SET country = 'NZ' WHERE id = 7",
        "INSERT INTO shop.customers VALUES (5001, 'newcomer', 'IS')",
    ),
    (
        "INSERT INTO shop.orders SELECT 2000000 + id, id % 700, 996 FROM range(300)",
        "UPDATE shop.orders SET amount = amount + 1 WHERE id % 3000 = 8",
        "DELETE FROM shop.orders WHERE customer = 43",
        "UPDATE shop.customers SET country = 'NZ' WHERE id = 8",
    ),
)


def main() -> None:
    folder = tempfile.mkdtemp(prefix="streamtables-demo-")
    say(f"Starting Spark; the warehouse is {folder}")
    spark = streamtables.create_session(folder)
    try:
        run(spark, streamtables.StreamTables(spark, folder))
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run(spark, st) -> None:
    make_sources(spark)
    say("\nStream tables")
    for name, (what, query) in TABLES.items():
        made = st.create_stream_table(name, query, schedule="5m")
        say(f"  {name:16} {made.rows_inserted:>9,} rows  {made.seconds:5.1f} s   {what}")

    say("\nNothing changed, so a refresh finds nothing to do")
    refresh_all(st)

    say("\nA batch of changes to both sources")
    for statement in BATCHES[0]:
        change(spark, statement)
    say("\nRefresh: only what changed is applied (at first, Spark has code to compile)")
    refresh_all(st)

    say("\nAnother batch")
    for statement in BATCHES[1]:
        change(spark, statement)
    say("\nRefresh again, now beside recomputing, two tables at a time")
    refresh_all(st, is_compared=True)

    say("\nThe proof: each table against its query, run in full")
    for name in TABLES:
        found = st.verify(name)
        say(f"  {found}")
        if not found:
            raise SystemExit(1)
    say("\nWhat a refresh of shop.active does:\n")
    say(str(st.explain("shop.active")))


def make_sources(spark) -> None:
    say(f"Making shop.orders with {ROWS:,} rows and shop.customers with 5,000")
    spark.sql("CREATE SCHEMA shop")
    orders = spark.range(ROWS).selectExpr(
        "id", "id * 7919 % 4900 AS customer", "CAST(id * 31 % 1000 AS DECIMAL(10, 2)) AS amount"
    )
    # With deletion vectors the change of a table is just its changed rows.
    writer = orders.writeTo("shop.orders").using("delta")
    writer.tableProperty("delta.enableDeletionVectors", "true").create()
    spark.sql(
        "CREATE TABLE shop.customers USING delta AS SELECT id, concat('customer ', id) AS name, "
        "element_at(array('DE', 'FR', 'IT', 'PL', 'SE'), CAST(id % 5 AS INT) + 1) AS country FROM range(5000)"
    )


def change(spark, statement: str) -> None:
    say(f"  {statement}")
    spark.sql(statement)


def refresh_all(st, *, is_compared: bool = False) -> None:
    begin = time.perf_counter()
    every = st.refresh_all()
    seconds, full = time.perf_counter() - begin, 0.0
    for done in every:
        line = f"  {done.name:16} {done.action.value:12} {done.reason:14} +{done.rows_inserted} -{done.rows_deleted}"
        line = f"{line:62} {done.seconds:6.2f} s"
        if is_compared:
            full += (one := seconds_of_full(st, done.name))
            line += f"   (recomputing it: {one:.2f} s)"
        say(line)
    line = f"  all {len(every)} in {seconds:.2f} s"
    say(f"{line}   (recomputing them: {full:.2f} s)" if is_compared else line)


def seconds_of_full(st, name: str) -> float:
    """How long the full query takes, written over a copy of the table."""
    folder = f"{st.warehouse}/full_{name}"
    begin = time.perf_counter()
    st.spark.sql(TABLES[name][1]).write.format("delta").mode("overwrite").save(folder)
    return time.perf_counter() - begin


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
