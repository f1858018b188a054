"""Whose a stream table is: the project's whose files declare it. What is nobody's was made by hand.

Kept in the registry, by the project's name; applying a project takes on all that its files declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamtables.config import PROJECT, load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from streamtables.catalog.base import Catalog, CatalogReader
    from streamtables.project.steps import ProjectPlan


def project_name(folder: Path) -> str:
    """What the settings of a project call it; its folder's name if they do not."""
    file = folder / PROJECT
    settings = load_settings(file if file.is_file() else None)
    return settings.project or folder.resolve().name


def owned(catalog: CatalogReader, folder: Path) -> set[str]:
    """The ids of the tables that are a project's."""
    project = project_name(folder)
    return {table_id for table_id, owner in catalog.owners().items() if owner == project}


def take_on(plan: ProjectPlan, catalog: Catalog, folder: Path) -> None:
    """Make the tables that a plan's files declare, as far as they are there, the project's."""
    project, known = project_name(folder), catalog.owners()
    ids = {table.name.key: table.id for table in catalog.tables()}
    for step in plan.steps:
        table_id = ids.get(step.name.key)
        if step.declared and table_id and known.get(table_id) != project:
            catalog.own(table_id, project)
