"""The tables of README that the code decides: what is incremental by which rule, and what is not, with its reason code.

Run it to write them into README.md anew.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from streamtables.refresh.choose import REASONS
from streamtables.rules import RULES
from streamtables.sql.refuse import NEVER, WITHOUT_RULE

README = Path(__file__).parents[2] / "README.md"


def rules() -> str:
    """One line per rule, from the docstring of its module."""
    lines = ["| SQL | kind | cost |", "|---|---|---|"]
    for rule in RULES.values():
        text = inspect.getdoc(inspect.getmodule(rule)) or ""
        what = text.partition("\n")[0].rstrip(".")
        parts = dict(re.findall(r"^(Kind|Cost|Cases) +(.+)$", text, re.MULTILINE))
        kind, cost = parts["Kind"].partition(":")[0].rstrip("."), parts["Cost"].rstrip(".;")
        lines.append(f"| {what} | {kind} | {cost} |")
    return "\n".join(lines)


def refusals() -> str:
    """One line per reason why a query is recomputed, or refused."""
    lines = ["| code | what it says | what to do |", "|---|---|---|"]
    for kind, words in (("", WITHOUT_RULE), (" (refused in every mode)", NEVER)):
        lines += [
            f"| `{code}`{kind} | {said.format('…')} | {hint} |"
            for code, (said, hint) in words.items()
        ]
    return "\n".join(lines)


def reasons() -> str:
    """One line per reason code of a refresh."""
    lines = ["| code | meaning |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{code}` | {words} |" for code, words in REASONS.items())])


TABLES = {"rules": rules, "refusals": refusals, "reasons": reasons}


def written(text: str) -> str:
    """README with every table as the code has it."""
    for name, table in TABLES.items():
        block = f"<!-- {name} -->\n{table()}\n<!-- end -->"
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        text = before + block + rest.partition("<!-- end -->")[2]
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
