"""README says what the code does."""

from __future__ import annotations

import inspect
import re

import pytest
from helpers.readme import README, TABLES, written
from helpers.specification import SQL

from streamtables.rules import RULES
from streamtables.testing.cases import read_file


def test_its_tables_are_those_of_the_code() -> None:
    text = README.read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in text for name in TABLES)
    assert written(text) == text, "run: python tests/helpers/readme.py"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.__name__)
def test_every_rule_names_cases_that_pin_it_incremental(rule: object) -> None:
    text = inspect.getdoc(inspect.getmodule(rule)) or ""
    files = re.findall(r"sql/[\w/]+\.sql", text)
    assert files
    for file in files:
        cases = read_file(SQL.parent / file)
        assert any(case.mode == "incremental" for case in cases), file
