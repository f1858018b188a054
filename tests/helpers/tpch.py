"""TPC-H: its tables at a small scale, and rounds of its two refresh functions with updates beside them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
# Every 32 order keys have eight orders. Those of one of the eight come later.
LATE = 5
KEYS_PER_ORDER = 4
ORDERS_PER_SCALE = 1_500_000

# What the queries ask for: updates move rows to it and away from it, so that the answers change.
NATIONS = (7, 3, 8, 20, 2, 6, 8, 3, 7, 20)
PARTS = (
    ("Brand#23", "MED BOX", "STANDARD POLISHED BRASS", 15),
    ("Brand#12", "SM CASE", "ECONOMY ANODIZED STEEL", 3),
    ("Brand#34", "LG BOX", "PROMO BURNISHED TIN", 14),
    ("Brand#45", "JUMBO JAR", "MEDIUM POLISHED COPPER", 49),
)
NAMES = ("forest green", "plain white", "lime green", "forest black")
SHIPPED = ("1994-03-01", "1995-09-15", "1996-02-10", "1995-06-01", "1998-10-01")
REGIONS = (2, 1, 3, 0, 4)

# The last rounds: no news, news of one table alone, all lines gone, some of them back.
EDGES = (
    (),
    ("UPDATE supplier SET s_nationkey = (s_nationkey + 1) % 25, s_comment = 'quiet'",),
    ("UPDATE part SET p_size = p_size % 50 + 1, p_name = 'forest green' WHERE p_partkey % 3 = 0",),
    ("DELETE FROM customer WHERE c_custkey % 2 = 0",),
    ("DELETE FROM lineitem",),
    ("INSERT INTO lineitem SELECT * FROM late_lineitem",),
)


def generate(folder: Path, scale: float, round_count: int) -> Workload:
    """Make the tables and tell the rounds; keys and sizes scale along."""
    command = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    options = ["--quiet", "--num-threads", "1", "--scale-factor", str(scale)]
    subprocess.run([command, "parquet", *options, "--output-dir", folder], check=True)
    # All rounds together delete a quarter of the orders.
    step = int(scale * ORDERS_PER_SCALE * KEYS_PER_ORDER / 4 / round_count)
    rounds = tuple(tuple(_round(number, step, round_count)) for number in range(round_count))
    return Workload("tpch", folder, TABLES, tuple(_setup()), rounds + EDGES)


def _setup() -> Iterator[str]:
    """Put the orders that come later aside."""
    for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
        late = f"{key} % 32 = {LATE}"
        yield f"CREATE TABLE late_{table} AS SELECT * FROM {table} WHERE {late}"
        yield f"DELETE FROM {table} WHERE {late}"


def _round(number: int, step: int, count: int) -> Iterator[str]:
    """RF1: new orders with their lines. RF2: the oldest orders go with theirs. Then updates."""
    for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
        yield f"INSERT INTO {table} SELECT * FROM late_{table} WHERE {key} DIV 32 % {count} = {number}"
        yield f"DELETE FROM {table} WHERE {key} BETWEEN {number * step} AND {(number + 1) * step - 1}"
    for updates in (_of_customers, _of_parts, _of_suppliers, _of_lines):
        yield from updates(number % len(NATIONS))


def _of_customers(number: int) -> Iterator[str]:
    segment = ("BUILDING", "MACHINERY")[number % 2]
    chosen = f"c_custkey % 20 = {number}"
    yield f"UPDATE customer SET c_mktsegment = '{segment}', c_nationkey = {NATIONS[number]} WHERE {chosen}"
    yield f"UPDATE customer SET c_acctbal = 5000 - c_acctbal WHERE c_custkey % 20 = {19 - number}"


def _of_parts(number: int) -> Iterator[str]:
    brand, container, kind, size = PARTS[number % len(PARTS)]
    values = f"p_brand = '{brand}', p_container = '{container}', p_type = '{kind}', p_size = {size}"
    yield f"UPDATE part SET {values} WHERE p_partkey % 20 = {number}"
    yield f"UPDATE part SET p_name = '{NAMES[number % 4]}' WHERE p_partkey % 20 = {19 - number}"
    yield (
        "UPDATE partsupp SET ps_supplycost = 1001 - ps_supplycost, ps_availqty = 10000 - ps_availqty"
        f" WHERE (ps_partkey + ps_suppkey) % 20 = {number}"
    )


def _of_suppliers(number: int) -> Iterator[str]:
    yield f"UPDATE supplier SET s_nationkey = {NATIONS[number]} WHERE s_suppkey % 7 = {number % 7}"
    words = ("slow: Customer feedback, Complaints", "carefully silent")[number % 2]
    yield f"UPDATE supplier SET s_comment = '{words}' WHERE s_suppkey % 7 = {number // 2}"
    yield f"UPDATE supplier SET s_acctbal = 9000 - s_acctbal WHERE s_suppkey % 6 = {number % 6}"
    if number % 3 == 2:
        yield f"UPDATE nation SET n_regionkey = {REGIONS[number % 5]} WHERE n_nationkey % 9 = {number}"


def _of_lines(number: int) -> Iterator[str]:
    """Shipments that move to where queries look, late ones that arrive in time, and large orders."""
    day = f"DATE '{SHIPPED[number % len(SHIPPED)]}'"
    dates = f"l_shipdate = {day}, l_commitdate = {day} + INTERVAL '9' DAY, l_receiptdate = {day} + INTERVAL '20' DAY"
    mode = ("MAIL", "AIR")[number % 2]
    shipped = f"l_shipmode = '{mode}', l_shipinstruct = 'DELIVER IN PERSON'"
    yield f"UPDATE lineitem SET {dates}, {shipped} WHERE l_orderkey DIV 32 % 40 = {number}"
    yield f"UPDATE lineitem SET l_receiptdate = l_commitdate WHERE l_orderkey % 40 = {number + 20}"
    yield f"UPDATE lineitem SET l_quantity = 50 WHERE l_orderkey DIV 32 % 20 = {number + 10}"
    yield f"UPDATE lineitem SET l_quantity = 1 WHERE l_partkey % 25 = {number}"
