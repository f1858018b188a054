"""README and docs/ say what the code does."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import pytest
from helpers.readme import PAGES, TABLES, written
from helpers.specification import SQL

from streamtables.rules import RULES
from streamtables.testing.cases import read_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_tables_are_those_of_the_code(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert written(text) == text, "run: python tests/helpers/readme.py"


def test_every_table_is_on_a_page() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    assert all(any(f"<!-- {name} -->" in text for text in texts) for name in TABLES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.__name__)
def test_every_rule_names_cases_that_pin_it_incremental(rule: object) -> None:
    text = inspect.getdoc(inspect.getmodule(rule)) or ""
    files = re.findall(r"sql/[\w/]+\.sql", text)
    assert files
    for file in files:
        cases = read_file(SQL.parent / file)
        assert any(case.mode == "incremental" for case in cases), file
