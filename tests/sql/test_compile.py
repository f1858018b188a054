"""Compiled queries."""

from __future__ import annotations

from helpers.plans import compiled, source

from streamtables.sql.compile import fingerprint


def test_columns_used() -> None:
    used = compiled("SELECT l.id FROM l JOIN r ON l.k = r.k").columns_used()
    assert used == {"`l`": ("id", "k"), "`r`": ("k",)}


def test_without_a_plan_all_columns_are_used() -> None:
    assert compiled("SELECT id FROM l LIMIT length('x')").columns_used() == {"`l`": ("id", "k")}


def test_a_cte_that_nobody_reads_uses_no_columns() -> None:
    used = compiled("WITH w AS (SELECT n FROM r) SELECT id FROM l").columns_used()
    assert used == {"`l`": ("id",), "`r`": ()}


def test_the_fingerprint_knows_text_and_tables() -> None:
    here, there = (source("l"),), (source("r"),)
    assert fingerprint(" SELECT 1", here) == fingerprint("SELECT 1 ", here)
    assert fingerprint("SELECT 1", here) != fingerprint("SELECT 1", there)
    assert fingerprint("SELECT 1", here) != fingerprint("SELECT 2", here)
