"""Where the specification in SQL is."""

from pathlib import Path

SQL = Path(__file__).parents[2] / "sql"
