"""The files of a new project: settings, two stream tables, a test, and something to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.config import PROJECT
from streamtables.errors import InvalidProject

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    PROJECT: """\
# The settings of this project; commands read them in this folder and below it.
warehouse = "./warehouse"
# Its name in the registry of that warehouse: the folder's, unless you give another.
# project = "shop"
""",
    ".gitignore": "/warehouse/\n",
    "sample.sql": """\
-- Something to read, until you name tables of your own: streamtables sql --file sample.sql
CREATE SCHEMA IF NOT EXISTS shop;
CREATE TABLE IF NOT EXISTS shop.orders (id BIGINT, country STRING, amount DECIMAL(10, 2)) USING delta;
INSERT INTO shop.orders VALUES (1, 'DE', 10.00), (2, 'DE', 25.50), (3, 'FR', 7.25), (4, NULL, 3.00);
""",
    "tables/shop/by_country.sql": """\
-- schedule: 5m
-- tags: finance
SELECT country, count(*) AS orders, sum(amount) AS revenue
FROM shop.orders
GROUP BY country
""",
    "tables/shop/best.sql": """\
CREATE STREAM TABLE shop.best SCHEDULE 'DOWNSTREAM' AS
SELECT country, revenue FROM shop.by_country WHERE revenue >= 10
""",
    "tests/shop/by_country.sql": """\
-- title: revenue follows the orders
CREATE TABLE shop.orders (id BIGINT, country STRING, amount DECIMAL(10, 2));
INSERT INTO shop.orders VALUES (1, 'DE', 10.00), (2, 'FR', 7.25);
-- stream: incremental
-- of: tables/shop/by_country.sql
-- answer: 'DE', 1, 10.00 | 'FR', 1, 7.25
-- change: one more order here, none left there
INSERT INTO shop.orders VALUES (3, 'DE', 2.50);
DELETE FROM shop.orders WHERE id = 2;
-- expect: + 'DE', 2, 12.50
-- expect: - 'DE', 1, 10.00 | 'FR', 1, 7.25
""",
}


def make_project(folder: Path) -> list[str]:
    """Write the files of a new project; refused where one of them exists."""
    if there := [name for name in FILES if (folder / name).exists()]:
        raise InvalidProject(
            f"{folder} has a {there[0]} already", hint="Choose another folder for the project."
        )
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(FILES)
