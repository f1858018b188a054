"""Settings: the file, the environment and the caller, in this order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streamtables.config import Settings, load_settings
from streamtables.errors import InvalidSettings

FILE = Path(__file__).parents[1] / "scheduler" / "streamtables.toml"


def test_the_commented_file_holds_every_setting_with_its_default() -> None:
    assert load_settings(FILE, environment={}) == Settings()
    text = FILE.read_text(encoding="utf-8")
    named, section = set(), ""
    for line in text.splitlines():
        if found := re.fullmatch(r"\[(.+)\]", line):
            section = f"{found[1]}."
        elif found := re.match(r"(\w+) =", line):
            named.add(f"{section}{found[1]}")
    every = {"warehouse", "registry", "project"} | {
        f"{section}.{name}"
        for section, value in vars(Settings()).items()
        if not isinstance(value, str)
        for name in vars(value)
    }
    assert named | {"spark.config"} == every


def test_the_environment_wins_over_the_file_and_the_caller_over_both(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('registry = "sqlite:///a"\n[daemon]\nworkers = 2\ntick_seconds = 3\n')
    environment = {
        "STREAMTABLES_SETTINGS": str(file),
        "STREAMTABLES_DAEMON_WORKERS": "5",
        "STREAMTABLES_WAREHOUSE": "12",
        "STREAMTABLES_SPARK_CONFIG": '{"spark.executor.cores": 2}',
        "STREAMTABLES_CACHE": "is none of these",
    }
    found = load_settings(environment=environment)
    assert (found.registry, found.daemon.workers, found.daemon.tick_seconds) == (
        "sqlite:///a",
        5,
        3.0,
    )
    assert (found.warehouse, found.spark.config) == ("12", {"spark.executor.cores": "2"})
    given = {"daemon.workers": 7, "warehouse": None}
    found = load_settings(given=given, environment=environment)
    assert (found.daemon.workers, found.warehouse) == (7, "12")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[daemon]\nwokers = 2", r"'daemon.wokers' in .*own.toml is no setting.*daemon.workers"),
        ("[nothing]\nlike = 'it'", "is no setting.*There are: warehouse"),
        ("[daemon]\nworkers = 0", r"daemon.workers = 0 .* Give a whole number, 1 or more"),
        ("[daemon]\nworkers = 2.5", "a whole number"),
        ("[daemon]\ntick_seconds = true", "a number"),
        ("[daemon]\ntick_seconds = nan", "a number"),
        ("[log]\nformat = 'xml'", "one of text, json"),
        ("registry = 5", "a text"),
        ("[spark]\nconfig = 5", "a table of names and values"),
        ("daemon = 5", "'daemon' in .* is no setting"),
        ("[daemon", "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_not_a_setting_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(InvalidSettings, match=words):
        load_settings(file, environment={})


def test_a_file_that_is_not_there_and_a_variable_that_is_no_number_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="STREAMTABLES_SETTINGS"):
        load_settings(environment={"STREAMTABLES_SETTINGS": "/there/is/none.toml"})
    with pytest.raises(InvalidSettings, match="'many' in STREAMTABLES_DAEMON_WORKERS"):
        load_settings(environment={"STREAMTABLES_DAEMON_WORKERS": "many"})
