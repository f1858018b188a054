"""Definitions as files of SQL, which make the same stream tables elsewhere."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from streamtables.refresh.graph import in_order
from streamtables.sql.statements import creation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamtables.model import StreamTable

FOLDER = "tables"


def exported(tables: Sequence[StreamTable]) -> dict[str, str]:
    """The text of a file for each stream table, by its path in a project; what is read comes before its readers."""
    files: dict[str, str] = {}
    for table in in_order(tables):
        words = [re.sub(r"\W", "_", part) for part in table.name.parts]
        path, number = PurePosixPath(FOLDER, *words), 1
        while (
            str(place := path.with_name(f"{path.name}{number if number > 1 else ''}.sql")) in files
        ):
            number += 1
        files[str(place)] = creation(table) + "\n"
    return files
