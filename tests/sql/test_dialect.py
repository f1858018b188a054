"""Spark SQL as we read it."""

from __future__ import annotations

import pytest
import sqlglot.parser

from streamtables.errors import PackageConflict
from streamtables.sql.dialect import require_interpreted


def test_a_compiled_sqlglot_is_refused_with_the_way_out() -> None:
    require_interpreted(sqlglot.parser.__file__)
    with pytest.raises(PackageConflict, match="pip uninstall sqlglotc"):
        require_interpreted("site-packages/sqlglot/parser.cpython-312-x86_64-linux-gnu.so")
