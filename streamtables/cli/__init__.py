"""The command line: one command per verb; parses and prints, decides nothing."""

from streamtables.cli.app import app, main

__all__ = ["app", "main"]
