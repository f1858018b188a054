"""The files of `scheduler/`: they parse, and name what exists."""

from __future__ import annotations

import configparser
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import generate_latest

from streamtables.catalog.memory import MemoryCatalog
from streamtables.cli.app import VERBS
from streamtables.config import Settings, load_settings
from streamtables.scheduler.metrics import Metrics

HOME = Path(__file__).parents[2]
FILES = HOME / "scheduler"
RUNBOOK = FILES / "RUNBOOK.md"


@pytest.fixture(scope="module")
def metrics() -> set[str]:
    """The names that Prometheus can ask for."""
    text = generate_latest(Metrics(MemoryCatalog()).registry).decode()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    parts = {"histogram": ("_bucket", "_count", "_sum")}
    return {name + part for name, kind in kinds.items() for part in parts.get(kind, ("",))}


def expressions(tree: Any) -> list[str]:
    """Every `expr` in a tree of dicts and lists."""
    if isinstance(tree, dict):
        own = [value for key, value in tree.items() if key == "expr"]
        return own + [found for value in tree.values() for found in expressions(value)]
    return [found for item in tree for found in expressions(item)] if isinstance(tree, list) else []


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FILES / "alerts.yaml").read_text("utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


@pytest.mark.parametrize("file", ["alerts.yaml", "dashboard.json"])
def test_alerts_and_dashboard_ask_for_metrics_that_exist(file: str, metrics: set[str]) -> None:
    found = expressions(yaml.safe_load((FILES / file).read_text("utf-8")))
    assert len(found) >= 8
    for expression in found:
        names = set(re.findall(r"\bstreamtables_\w+", expression))
        assert names, expression
        assert names <= metrics, expression
        assert expression.count("(") == expression.count(")")


def test_every_metric_is_on_the_dashboard_or_in_an_alert(metrics: set[str]) -> None:
    text = "".join((FILES / file).read_text("utf-8") for file in ("alerts.yaml", "dashboard.json"))
    families = {re.sub("_(bucket|count|sum|created)$", "", name) for name in metrics}
    assert {name for name in families if name not in text} == set()


def test_every_alert_has_a_section_in_the_runbook() -> None:
    headings = re.findall(r"^#+ (.+)$", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for rule in rules():
        file, anchor = rule["annotations"]["runbook"].split("#")
        assert (file, anchor in anchors) == ("RUNBOOK.md", True), rule["alert"]


def test_the_dashboard_has_panels_that_do_not_overlap() -> None:
    board = json.loads((FILES / "dashboard.json").read_text("utf-8"))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places) == 8


def test_the_service_lets_a_commit_end() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(FILES / "streamtables.service", "utf-8")
    service = unit["Service"]
    assert float(service["TimeoutStopSec"]) > Settings().daemon.stop_seconds
    assert service["KillMode"] == "mixed"
    assert shlex.split(service["ExecStart"])[1:] == ["run"]


def test_compose_starts_what_the_settings_know(tmp_path: Path) -> None:
    services = yaml.safe_load((FILES / "compose.yaml").read_text("utf-8"))["services"]
    daemon = services["daemon"]
    found = load_settings(environment=daemon["environment"])
    assert found.registry.startswith("postgresql://")
    assert float(daemon["stop_grace_period"].rstrip("s")) > Settings().daemon.stop_seconds
    assert (FILES / daemon["build"]["context"] / daemon["build"]["dockerfile"]).is_file()


def test_the_image_sets_what_the_settings_know() -> None:
    text = (FILES / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != "#"]
    pairs = [pair for word, rest in lines if word == "ENV" for pair in rest.split()]
    found = load_settings(environment=dict(pair.split("=") for pair in pairs))
    assert (found.warehouse, found.metrics.host, found.log.format) == (
        "/warehouse",
        "0.0.0.0",
        "json",
    )
    assert ["EXPOSE", str(Settings().metrics.port)] in lines
    assert ["CMD", '["run"]'] in lines
    ignored = (HOME / ".dockerignore").read_text("utf-8").split()
    assert {".git", ".venv"} <= set(ignored)


def test_what_the_runbook_tells_to_type_is_there() -> None:
    told = set(
        re.findall(r"(?:^|`)streamtables ([a-z-]+)", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    )
    verbs = {
        verb.__name__.rstrip("_").replace("_", "-") for verbs in VERBS.values() for verb in verbs
    }
    assert told > {"status", "doctor"}
    assert told - verbs == set()
