"""Stream tables: SQL views kept fresh as Delta tables by applying only what changed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from streamtables import errors

if TYPE_CHECKING:
    from streamtables.api import StreamTables, create_stream_table
    from streamtables.spark.session import create_session

__version__ = "0.1.0"

__all__ = ["StreamTables", "__version__", "create_session", "create_stream_table", "errors"]

_HOME = {
    "StreamTables": "streamtables.api",
    "create_stream_table": "streamtables.api",
    "create_session": "streamtables.spark.session",
    "load_ipython_extension": "streamtables.notebook",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: Spark takes half a second to import."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
