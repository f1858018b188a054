"""The picture of an explanation: every operator once, arrows from the sources to the table, nothing but text in it."""

from __future__ import annotations

from dataclasses import replace

from helpers.page_registry import filled

from streamtables.page.explaining import explanation_page, picture
from streamtables.refresh.explain import explain


def test_every_operator_is_drawn_once() -> None:
    table = next(found for found in filled().tables() if str(found.name) == "shop.baskets")
    found = explain(table)
    drawn = picture(found)
    assert drawn.count('class="st-box"') == len(found.operators) + 1
    assert drawn.count('class="st-arrow"') == len(found.operators)
    assert "bilinear" in drawn
    page = explanation_page(found)
    assert all(f"<h2>{step.name}</h2>" in page for step in found.steps)
    assert "src=" not in page


def test_what_has_no_rule_has_no_picture() -> None:
    table = next(found for found in filled().tables() if str(found.name) == "shop.revenue")
    found = explain(replace(table, query="SELECT country FROM shop.orders LIMIT length('<b>')"))
    assert picture(found) == ""
    assert "<b>" not in explanation_page(found)
