"""Whose a table is: a project's, by its name, once that was applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helpers.page_registry import filled

from streamtables.project.files import read_file
from streamtables.project.owning import owned, project_name, take_on
from streamtables.project.steps import Change, Planned, ProjectPlan, Step

if TYPE_CHECKING:
    from pathlib import Path


def test_a_project_has_the_name_that_its_settings_give_or_its_folders(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    assert project_name(tmp_path / "shop") == "shop"
    (tmp_path / "shop/streamtables.toml").write_text('project = "bazaar"\n')
    assert project_name(tmp_path / "shop") == "bazaar"


def test_applying_takes_on_what_files_declare_and_nothing_else(tmp_path: Path) -> None:
    shop, other = tmp_path / "shop", tmp_path / "other"
    catalog = filled()
    revenue, best, gone = (
        next(table for table in catalog.tables() if str(table.name) == f"shop.{name}")
        for name in ("revenue", "best", "baskets")
    )
    declared = read_file("SELECT 1 AS x", "tables/shop/revenue.sql")
    new = read_file("SELECT 1 AS x", "tables/shop/not_made.sql")
    plan = ProjectPlan(
        (
            Planned(revenue.name, Change.UNCHANGED, Step.NOTHING, "", declared=declared),
            Planned(new.name, Change.ADDED, Step.CREATE, "", declared=new),
            Planned(gone.name, Change.REMOVED, Step.NOTHING, "", table=gone),
        )
    )
    take_on(plan, catalog, shop)
    assert owned(catalog, shop) == {revenue.id}
    assert best.id not in catalog.owners()
    assert owned(catalog, other) == set()
    take_on(plan, catalog, other)
    assert (owned(catalog, shop), owned(catalog, other)) == (set(), {revenue.id})
