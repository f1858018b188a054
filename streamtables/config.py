"""Settings: what a file says, over it the environment, over both what the caller gives.

`scheduler/streamtables.toml` lists them all with their defaults. `[daemon] workers` is `daemon.workers` for a caller
and `STREAMTABLES_DAEMON_WORKERS` in the environment.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from streamtables.errors import InvalidSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "STREAMTABLES_SETTINGS"
PROJECT = "streamtables.toml"
"""The settings file whose folder is a project."""

_PREFIX = "STREAMTABLES"


def _number(default: float, least: float) -> Any:
    return field(default=default, metadata={"least": least})


@dataclass(frozen=True)
class SparkSettings:
    """The Spark session that the daemon and the commands start."""

    master: str = "local[*]"
    app_name: str = "streamtables"
    config: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DaemonSettings:
    """`streamtables run`: how often it looks, how much it does at once."""

    tick_seconds: float = _number(1.0, 0.05)
    workers: int = _number(4, 1)
    lease_seconds: float = _number(15.0, 1)
    jitter_seconds: float = _number(0.0, 0)
    stop_seconds: float = _number(25.0, 0)
    timezone: str = "UTC"
    fuse_share: float = _number(0.0, 0)
    fuse_rows: int = _number(1_000, 1)


@dataclass(frozen=True)
class RetrySettings:
    """What happens after a transient failure; a permanent one that comes twice suspends the table."""

    attempts: int = _number(5, 1)
    first_seconds: float = _number(1.0, 0)
    most_seconds: float = _number(300.0, 0)


@dataclass(frozen=True)
class HistorySettings:
    """How much history the registry keeps."""

    keep_rows: int = _number(1_000, 1)
    prune_seconds: float = _number(3_600.0, 1)


@dataclass(frozen=True)
class MetricsSettings:
    """Where Prometheus reads the daemon's metrics, and people the page; port 0 turns both off."""

    host: str = "127.0.0.1"
    port: int = _number(9187, 0)
    token: str = ""


@dataclass(frozen=True)
class LineageSettings:
    """Where OpenLineage events of refreshes go: a file or a URL; nowhere if it is empty."""

    to: str = ""
    namespace: str = "streamtables"


@dataclass(frozen=True)
class LogSettings:
    """What the daemon writes to standard error."""

    format: Literal["text", "json"] = "text"
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


@dataclass(frozen=True)
class DoctorSettings:
    """When `streamtables doctor` warns."""

    headroom_share: float = _number(0.5, 0)
    small_file_bytes: int = _number(8 * 2**20, 1)
    small_files: int = _number(50, 1)
    every_seconds: float = _number(600.0, 1)


@dataclass(frozen=True)
class Settings:
    """Everything that can be set."""

    warehouse: str = "./warehouse"
    registry: str = ""
    project: str = ""
    spark: SparkSettings = field(default_factory=SparkSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)
    retry: RetrySettings = field(default_factory=RetrySettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    lineage: LineageSettings = field(default_factory=LineageSettings)
    log: LogSettings = field(default_factory=LogSettings)
    doctor: DoctorSettings = field(default_factory=DoctorSettings)


def load_settings(
    file: str | Path | None = None,
    given: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of a file (by default the one that `STREAMTABLES_SETTINGS` names), the environment and the caller.

    >>> load_settings(given={"daemon.workers": 8, "registry": None}, environment={}).daemon.workers
    8
    """
    path = file or environment.get(FILE)
    values = _flat(_read(Path(path)) if path else {})
    values = {key: (value, str(path)) for key, value in values.items()}
    for key, kind in _kinds(Settings).items():
        variable = f"{_PREFIX}_{key.replace('.', '_').upper()}"
        if variable in environment:
            values[key] = _from_text(environment[variable], kind), variable
    for key, value in (given or {}).items():
        if value is not None:
            values[key] = value, "the arguments"
    return _built(values)


def find_project(start: Path) -> Path | None:
    """The folder of the nearest project, from a folder upwards."""
    return next(
        (folder for folder in (start, *start.parents) if (folder / PROJECT).is_file()), None
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(
            f"The settings file {path} cannot be read: {error}",
            hint=f"Correct it, or name another with --settings or {FILE}.",
        ) from error


def _flat(tree: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Values by dotted key; a setting that is itself a table, such as spark.config, stays whole."""
    kinds, flat = _kinds(Settings), {}
    for name, value in tree.items():
        key = f"{above}{name}"
        if isinstance(value, dict) and key not in kinds:
            flat.update(_flat(value, f"{key}."))
        else:
            flat[key] = value
    return flat


def _kinds(settings: Any, above: str = "") -> dict[str, Any]:
    """The type of each setting by its dotted key."""
    kinds: dict[str, Any] = {}
    for name, kind in get_type_hints(settings).items():
        key = f"{above}{name}"
        kinds.update(_kinds(kind, f"{key}.") if is_dataclass(kind) else {key: kind})
    return kinds


def _from_text(text: str, kind: Any) -> Any:
    """A value from the environment; text that is no such value is left for `_checked` to refuse."""
    if kind is str or get_origin(kind) is Literal:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _built(values: Mapping[str, tuple[Any, str]]) -> Settings:
    kinds = _kinds(Settings)
    for key, (_, where) in values.items():
        if key not in kinds:
            near = difflib.get_close_matches(key, kinds, 1)
            raise InvalidSettings(
                f"{key!r} in {where} is no setting",
                hint=f"Did you mean {near[0]}?" if near else f"There are: {', '.join(kinds)}.",
            )

    def build(settings: Any, above: str) -> Any:
        found, hints = {}, get_type_hints(settings)
        for part in fields(settings):
            key, kind = f"{above}{part.name}", hints[part.name]
            if is_dataclass(kind):
                found[part.name] = build(kind, f"{key}.")
            elif key in values:
                found[part.name] = _checked(key, *values[key], kind, part.metadata.get("least"))
        return settings(**found)

    built: Settings = build(Settings, "")
    return built


def _checked(key: str, value: Any, where: str, kind: Any, least: float | None) -> Any:
    wanted = _wanted(kind, least)
    if get_origin(kind) is Literal:
        is_right = value in get_args(kind)
    elif get_origin(kind) is dict:
        is_right = isinstance(value, dict)
    elif kind is float:
        is_right = isinstance(value, (int, float)) and not isinstance(value, bool)
    else:
        is_right = type(value) is kind
    if not is_right or (least is not None and not value >= least):
        raise InvalidSettings(f"{key} = {value!r} in {where} will not do", hint=f"Give {wanted}.")
    if get_origin(kind) is dict:
        return {name: str(item) for name, item in value.items()}
    return float(value) if kind is float else value


def _wanted(kind: Any, least: float | None) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    names = {str: "a text", int: "a whole number", float: "a number"}
    what = names.get(kind, "a table of names and values")
    return what if least is None else f"{what}, {least:g} or more"
