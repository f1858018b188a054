"""The graph of tables, in each of its forms."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from helpers.page_registry import NASTY, filled

from streamtables.errors import NotAStreamTable
from streamtables.page.graph import graph
from streamtables.page.layout import layout
from streamtables.page.lineage import lineage
from streamtables.refresh.export import exported
from streamtables.sql.statements import parse_statement

TABLES = filled().tables()


def test_a_table_is_shown_with_what_it_comes_from_and_what_comes_from_it() -> None:
    found = lineage(TABLES, "shop.baskets")
    assert found.tables == ("shop.baskets", "shop.items", "shop.orders", "shop.segments")
    assert found.streams == {"shop.baskets", "shop.segments"}
    assert found.columns["shop.baskets"] == {
        "id": (("shop.orders", "id"),),
        "customer": (("shop.orders", "customer"),),
        "total": (("shop.items", "pieces"), ("shop.items", "price")),
    }


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(NotAStreamTable, match="There are: crm"):
        lineage(TABLES, "shop.orders")


def test_as_text_json_and_mermaid() -> None:
    found = lineage(TABLES)
    assert "shop.best reads shop.revenue\n  country <- shop.revenue.country" in str(found)
    told = json.loads(json.dumps(found.as_dict()))
    assert {"from": "shop.revenue", "to": "shop.best"} in told["reads"]
    assert told["columns"]["shop.best"]["revenue"] == [
        {"table": "shop.revenue", "column": "revenue"}
    ]
    assert '["shop.best"]' in found.mermaid()
    assert "<img" not in found.mermaid()


def test_a_picture_holds_no_name_as_markup() -> None:
    drawn = graph(lineage(TABLES))
    assert NASTY not in drawn
    assert "&lt;img" in drawn


def test_boxes_lie_apart_and_arrows_lead_to_the_right() -> None:
    found = lineage(TABLES)
    placed = layout(found.tables, found.reads)
    boxes = list(placed.boxes.values())
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            assert (
                one.x + one.width < other.x
                or other.x + other.width < one.x
                or abs(one.y - other.y) > one.height
            )
    for source, reader in found.reads:
        assert placed.boxes[source].x + placed.boxes[source].width < placed.boxes[reader].x
    for path in placed.arrows:
        assert all(a.x < b.x for a, b in pairwise(path))


def test_a_cycle_in_a_broken_registry_is_drawn_all_the_same() -> None:
    assert set(layout(["a", "b"], [("a", "b"), ("b", "a")]).boxes) == {"a", "b"}


def test_exported_definitions_are_read_back() -> None:
    files = exported(TABLES)
    assert len(files) == len(TABLES)
    assert list(files).index("tables/shop/baskets.sql") < list(files).index(
        "tables/shop/segments.sql"
    )
    by_name = {str(table.name): table for table in TABLES}
    for text in files.values():
        statement = parse_statement(text)
        assert statement is not None
        table = by_name[str(statement.arguments["name"])]
        assert statement.arguments["query"] == table.query
        assert statement.arguments.get("schedule") == table.schedule
