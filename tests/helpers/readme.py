"""The tables of README and docs/ that the code decides: rules, refusals, reasons, settings, errors and more.

Run it to write them anew.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from streamtables import errors
from streamtables.catalog.memory import MemoryCatalog
from streamtables.cli.app import VERBS, command_name
from streamtables.refresh.choose import REASONS
from streamtables.refresh.doctor import FINDINGS
from streamtables.rules import RULES
from streamtables.rules.heads import head_of
from streamtables.scheduler.metrics import Metrics
from streamtables.sql.refuse import NEVER, WITHOUT_RULE

HOME = Path(__file__).parents[2]
PAGES = (HOME / "README.md", *sorted((HOME / "docs").glob("*.md")))


def rules() -> str:
    """One line per rule, from the docstring of its module."""
    lines = ["| SQL | kind | cost |", "|---|---|---|"]
    for operator in RULES:
        head = head_of(operator)
        assert head is not None
        lines.append(f"| {head.what} | {head.kind} | {head.cost} |")
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


def settings() -> str:
    """One line per setting, with what the settings file says of it."""
    lines = ["| setting | environment | default | meaning |", "|---|---|---|---|"]
    section, said, is_said = "", "", True
    for line in (HOME / "scheduler" / "streamtables.toml").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]") + "."
        elif line.startswith("#"):
            said = line[1:].strip() if is_said else f"{said} {line[1:].strip()}"
            is_said = False
        elif " = " in line:
            name, _, default = line.partition(" = ")
            variable = f"STREAMTABLES_{section}{name}".upper().replace(".", "_")
            lines.append(f"| `{section}{name}` | `{variable}` | `{default}` | {said} |")
        is_said = is_said or not line.startswith("#")
    return "\n".join(lines)


def error_classes() -> str:
    """One line per class of error."""
    lines = ["| error | meaning |", "|---|---|"]
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.StreamTablesError):
            lines.append(f"| `{name}` | {inspect.getdoc(kind)} |")
    return "\n".join(lines)


def findings() -> str:
    """One line per code of the doctor's."""
    lines = ["| code | level | what to do |", "|---|---|---|"]
    found = (f"| `{code}` | {level} | {hint} |" for code, (level, hint) in FINDINGS.items())
    return "\n".join([*lines, *found])


def metrics() -> str:
    """One line per metric that the daemon serves."""
    lines = ["| metric | kind | meaning |", "|---|---|---|"]
    families = Metrics(MemoryCatalog()).registry.collect()
    for family in sorted(families, key=lambda family: family.name):
        name = family.name + ("_total" if family.type == "counter" else "")
        lines.append(f"| `{name}` | {family.type} | {family.documentation} |")
    return "\n".join(lines)


def verbs() -> str:
    """One line per command, under the headings of its help."""
    lines = ["| command | what it does |", "|---|---|"]
    for heading, commands in VERBS.items():
        lines.append(f"| **{heading}** | |")
        for command in commands:
            words = (inspect.getdoc(command) or "").partition("\n")[0]
            lines.append(f"| `streamtables {command_name(command)}` | {words} |")
    return "\n".join(lines)


TABLES = {
    "verbs": verbs,
    "rules": rules,
    "refusals": refusals,
    "reasons": reasons,
    "settings": settings,
    "errors": error_classes,
    "findings": findings,
    "metrics": metrics,
}


def written(text: str) -> str:
    """A page with every table as the code has it."""
    for name, table in TABLES.items():
        if f"<!-- {name} -->" not in text:
            continue
        block = f"<!-- {name} -->\n{table()}\n<!-- end -->"
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        text = before + block + rest.partition("<!-- end -->")[2]
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
