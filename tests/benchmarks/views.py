"""The stream tables that are measured, and the sources that they read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A query, and the columns that tell its rows apart: a person's MERGE would go by them."""

    query: str
    key: tuple[str, ...]


VIEWS = {
    "filter_project": View(
        "SELECT id, cust, amount * 2 AS twice FROM fact WHERE region < 25", ("id",)
    ),
    "sum_few": View(
        "SELECT region, sum(amount) AS total, count(*) AS n, avg(amount) AS mean FROM fact GROUP BY region",
        ("region",),
    ),
    "sum_many": View(
        "SELECT cust, sum(amount) AS total, count(*) AS n, avg(amount) AS mean FROM fact GROUP BY cust",
        ("cust",),
    ),
    "min_max": View(
        "SELECT cust, min(amount) AS least, max(ratio) AS most FROM fact GROUP BY cust", ("cust",)
    ),
    "join": View(
        "SELECT f.id, f.amount, d.name FROM fact f JOIN dim d ON f.cust = d.cust", ("id",)
    ),
    "star": View(
        "SELECT d.seg, z.zone, sum(f.amount) AS total, count(*) AS n FROM fact f "
        "JOIN dim d ON f.cust = d.cust JOIN place z ON f.region = z.region GROUP BY d.seg, z.zone",
        ("seg", "zone"),
    ),
    "left_join": View(
        "SELECT f.id, f.amount, d.name FROM fact f LEFT JOIN dim d ON f.cust = d.cust AND d.seg <> 3",
        ("id",),
    ),
    "not_exists": View(
        "SELECT f.id, f.amount FROM fact f WHERE NOT EXISTS (SELECT 1 FROM other o WHERE o.id = f.id)",
        ("id",),
    ),
    "distinct": View("SELECT DISTINCT cust, region FROM fact", ("cust", "region")),
    "intersect": View("SELECT id FROM fact INTERSECT SELECT id FROM other", ("id",)),
    "except_all": View(
        "SELECT id, region FROM fact EXCEPT ALL SELECT id, region FROM other", ("id", "region")
    ),
    "top_3": View(
        "SELECT id, cust, amount, place FROM (SELECT id, cust, amount, row_number() OVER "
        "(PARTITION BY cust ORDER BY amount DESC, id) AS place FROM fact) WHERE place <= 3",
        ("id",),
    ),
    "running_sum": View(
        "SELECT id, cust, sum(amount) OVER (PARTITION BY cust ORDER BY id) AS running FROM fact",
        ("id",),
    ),
    "recursion": View(
        "WITH RECURSIVE walk(id, root, depth) AS (SELECT id, id, 0 FROM tree WHERE parent IS NULL "
        "UNION ALL SELECT t.id, w.root, w.depth + 1 FROM tree t JOIN walk w ON t.parent = w.id) "
        "SELECT id, root, depth FROM walk",
        ("id",),
    ),
}
