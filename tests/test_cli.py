"""The commands: help, output, exit codes. Those that only read start no Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from streamtables.api import StreamTables
from streamtables.catalog.registry import Registry
from streamtables.cli import app, main
from streamtables.codec import definition_from_json
from streamtables.cron import Cron
from streamtables.errors import InvalidProject, StreamTablesError
from streamtables.model import Action, Frontier, Position, Refresh, Status, StreamTable, TableName
from streamtables.refresh.doctor import Checkup
from streamtables.scheduler.daemon import Daemon
from streamtables.ticks import CronTicks, due_since

if TYPE_CHECKING:
    from streamtables.config import DoctorSettings, Settings

RUNNER = CliRunner()
VERBS = sorted(command.name or command.callback.__name__ for command in app.registered_commands)
ONLY_HERE = {"init", "page", "run", "shell", "test"}  # what only a command line has
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
DEFINITION = {
    "id": "1",
    "name": "shop.daily",
    "query": "SELECT day, count(*) AS n FROM shop.orders GROUP BY day",
    "schedule": "5m",
    "refresh_mode": "AUTO",
    "columns": [{"name": "day", "type": "date"}, {"name": "n", "type": "bigint"}],
    "sources": [
        {"name": "shop.orders", "kind": "DELTA", "columns": [{"name": "day", "type": "date"}]}
    ],
    "fingerprint": "f",
    "generation": 1,
    "created_at": "2026-01-02T03:04:05+00:00",
    "status": "ACTIVE",
    "message": None,
}


@pytest.fixture
def warehouse(tmp_path: Path) -> str:
    """A warehouse whose registry holds one stream table, refreshed once."""
    table: StreamTable = definition_from_json(json.dumps(DEFINITION))
    registry = Registry.open(tmp_path)
    registry.add(table)
    done = Refresh("1", "shop.daily", 1, Action.FULL, "FIRST_FILL", MOMENT, 1.5, rows_inserted=3)
    registry.note(done)
    registry.close()
    return str(tmp_path)


def run(*arguments: str) -> str:
    result = RUNNER.invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_an_example(verb: str) -> None:
    assert f"Example: streamtables {verb}" in run(verb, "--help")


@pytest.mark.parametrize("verb", sorted(set(VERBS) - ONLY_HERE))
def test_every_verb_is_one_of_the_api(verb: str) -> None:
    name = verb.replace("-", "_")
    assert any(hasattr(StreamTables, verb) for verb in (name, f"{name}_stream_table"))


def test_list_and_status_as_json(warehouse: str) -> None:
    (listed,) = json.loads(run("list", "-w", warehouse, "--json"))
    assert listed["name"] == "shop.daily"
    (state,) = json.loads(run("status", "-w", warehouse, "--json"))
    assert (state["last_action"], state["last_reason"]) == ("FULL", "FIRST_FILL")


def test_history_in_a_pipe_is_plain_columns(warehouse: str) -> None:
    head, row = run("history", "shop.daily", "-w", warehouse).splitlines()
    assert head.split()[:3] == ["name", "action", "reason"]
    assert row.split()[:3] == ["shop.daily", "FULL", "FIRST_FILL"]


def test_history_as_json_tells_versions_and_measures(warehouse: str) -> None:
    registry = Registry.open(warehouse)
    stood, stands = (
        Frontier(number, {"`shop`.`orders`": Position("id", number + 5, "h")}, MOMENT)
        for number in (1, 2)
    )
    registry.note(
        Refresh(
            "1", "shop.daily", 2, Action.INCREMENTAL, "CHANGE_SMALL", MOMENT, 0.5, frontier=stands, since=stood,
            measures={"spark_jobs": 3},
        )
    )  # fmt: skip
    registry.close()
    newest, first = json.loads(run("history", "shop.daily", "-w", warehouse, "--json"))
    assert newest["versions"] == {"`shop`.`orders`": [6, 7]}
    assert (newest["measures"], newest["number"]) == ({"spark_jobs": 3}, 2)
    assert datetime.fromisoformat(newest["data_timestamp"]) == MOMENT
    assert (first["versions"], first["measures"]) == ({}, {})


def test_explain_needs_no_spark(warehouse: str) -> None:
    found = run("explain", "shop.daily", "-w", warehouse)
    assert found.startswith("shop.daily: INCREMENTAL (CHANGE_SMALL)")
    assert "touched keys" in found


def test_explain_in_other_forms(warehouse: str) -> None:
    found = json.loads(run("explain", "shop.daily", "-w", warehouse, "--json"))
    assert found["operators"][0]["kind"] == "linear"
    assert run("explain", "shop.daily", "-w", warehouse, "--mermaid").startswith("flowchart BT\n")
    said = run("explain", "shop.daily", "-w", warehouse, "--why-full")
    assert said.startswith("shop.daily was last recomputed at 2026-01-02 03:04:05+00:00, because")


@pytest.fixture
def project(warehouse: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, which one is in, whose one file says what the registry has; starting Spark is an error."""

    def no_spark(*_: object) -> None:
        raise AssertionError("started Spark")

    folder = Path(warehouse) / "project"
    (folder / "tables/shop").mkdir(parents=True)
    (folder / "streamtables.toml").write_text(f"warehouse = {warehouse!r}\n")
    file = folder / "tables/shop/daily.sql"
    file.write_text(f"-- schedule: 5m\n-- tags: finance\n{DEFINITION['query']};\n")
    registry = Registry.open(warehouse)
    registry.set_frontier("1", Frontier(1, {}))
    registry.close()
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    monkeypatch.setattr("streamtables.cli.project.opened", no_spark)
    return folder


def test_an_unchanged_project_starts_no_spark(project: Path) -> None:
    (step,) = json.loads(run("plan", "--json", "--check", "--select", "tag:finance"))
    assert (step["name"], step["change"], step["action"]) == ("shop.daily", "unchanged", "nothing")
    assert run("apply") == "Nothing to do: 1 tables are as the files say.\n"
    assert json.loads(run("apply", "--json")) == []
    assert json.loads(run("list", "--json"))[0]["name"] == "shop.daily"


def test_the_daemon_reads_the_settings_of_the_project_or_of_the_file_it_is_given(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "streamtables.toml"
    file.write_text("[daemon]\nworkers = 9\n[metrics]\nport = 0\n")
    other = project / "other.toml"
    other.write_text("[daemon]\nworkers = 2\n[metrics]\nport = 0\n")
    seen: list[Settings] = []

    def ran(daemon: Daemon) -> bool:
        seen.append(daemon.settings)
        return True

    monkeypatch.setattr(Daemon, "run", ran)
    run("run")
    run("run", "-w", str(project / "elsewhere"))
    run("run", "--settings", str(other))
    here = str(project / "warehouse")
    assert [(one.warehouse, one.daemon.workers) for one in seen] == [
        (here, 9),
        (str(project / "elsewhere"), 9),
        ("./warehouse", 2),
    ]


def test_a_second_daemon_on_this_machine_starts_and_tells_where_its_page_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "streamtables.toml").write_text(f"warehouse = {str(project.parent)!r}\n")
    told: list[str] = []

    def ran(_: Daemon) -> bool:
        if not told:
            told.append("")
            told.append(run("run"))
        return True

    monkeypatch.setattr(Daemon, "run", ran)
    run("run")
    assert "WARNING port_taken" in told[1]
    assert "INFO serves address=http://127.0.0.1:" in told[1]


def test_status_and_page_judge_cron_lines_in_the_zone_of_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(timezone.utc)
    since = {
        zone: due_since(CronTicks(Cron.parse("0 0 * * *"), ZoneInfo(zone)), now)
        for zone in ("UTC", "Etc/GMT+12")
    }
    between = since["UTC"] + (since["Etc/GMT+12"] - since["UTC"]) / 2
    registry = Registry.open(project.parent)
    table = registry.find(TableName(("shop", "daily")))
    registry.update(replace(table, schedule="@daily"))
    registry.set_frontier("1", Frontier(1, {}, between))
    registry.close()
    seen: list[bytes] = []

    class Asked:
        """A server that is asked for the page once."""

        port = 80

        def __init__(self, application: Any, *_: object) -> None:
            asked = {"REQUEST_METHOD": "GET", "QUERY_STRING": ""}
            seen.extend(application(asked, lambda *_: None))

        def stop(self) -> None:
            """It never began."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    waiting = SimpleNamespace(Event=lambda: SimpleNamespace(wait=interrupted))
    monkeypatch.setattr("streamtables.page.web.Served", Asked)
    monkeypatch.setattr("streamtables.cli.sharing.threading", waiting)
    for zone, due in since.items():
        with (project / "streamtables.toml").open("w") as file:
            file.write(f"warehouse = {str(project.parent)!r}\n[daemon]\ntimezone = {zone!r}\n")
        is_late = between < due
        (state,) = json.loads(run("status", "--json"))
        assert state["is_late"] is is_late
        run("page")
        assert (b"1 late" in seen.pop()) is is_late


def test_the_doctor_heeds_the_settings_of_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "streamtables.toml").write_text("[doctor]\nsmall_files = 7\n")
    seen: list[DoctorSettings] = []

    def doctor(settings: DoctorSettings) -> Checkup:
        seen.append(settings)
        return Checkup((), ())

    lake = nullcontext(SimpleNamespace(doctor=doctor))
    monkeypatch.setattr("streamtables.cli.checking.opened", lambda *_: lake)
    run("doctor")
    assert [settings.small_files for settings in seen] == [7]


def test_a_failure_among_many_refreshes_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def refreshed(action: Action) -> Refresh:
        return Refresh("1", "shop.daily", 2, action, "Broken", MOMENT, 0.1, error="It broke")

    def code(action: Action, *arguments: str) -> int:
        done = [refreshed(Action.NO_DATA), refreshed(action)]
        lake = SimpleNamespace(refresh_all=lambda: done, sql=lambda _: done)
        for module in ("refreshing", "statements"):
            monkeypatch.setattr(f"streamtables.cli.{module}.opened", lambda *_: nullcontext(lake))
        return RUNNER.invoke(app, arguments).exit_code

    for command in (("refresh",), ("sql", "REFRESH STREAM TABLES")):
        assert code(Action.FAILED, *command) == 1
        assert code(Action.UPSTREAM_FAILED, *command) == 1
        assert code(Action.SKIPPED, *command) == 0
    assert code(Action.FAILED, "sql", "SHOW HISTORY OF STREAM TABLE shop.daily") == 0


def test_alter_shows_first_what_a_query_does_to_what_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[str] = []
    rows = [
        {"name": name, "change": "query", "action": action, "why": ""}
        for name, action in (("shop.daily", "alter"), ("shop.weekly", "fails"))
    ]

    def step(name: str, answer: Any) -> Any:
        return lambda *_, **__: (steps.append(name), answer)[1]

    lake = SimpleNamespace(
        preview_alter=step("preview", rows), alter_stream_table=step("alter", None)
    )
    monkeypatch.setattr("streamtables.cli.defining.opened", lambda *_: nullcontext(lake))
    shown = RUNNER.invoke(app, ["alter", "shop.daily", "--query", "SELECT 1 AS a"]).stdout
    assert steps == ["preview", "alter"]
    assert "shop.weekly" in shown
    assert "fails" in shown
    assert not RUNNER.invoke(app, ["alter", "shop.daily", "--schedule", "1m"]).stdout
    assert steps[2:] == ["alter"]


def test_check_finds_work(project: Path) -> None:
    file = project / "tables/shop/daily.sql"
    file.write_text(file.read_text().replace("5m", "9m"))
    assert RUNNER.invoke(app, ["plan"]).exit_code == 0
    found = RUNNER.invoke(app, ["plan", "--check"])
    assert found.exit_code == 1
    assert "schedule 5m → 9m" in found.output


def test_a_refused_project_is_exit_code_1(project: Path) -> None:
    file = project / "tables/shop/daily.sql"
    file.write_text(f"-- refresh_mode: INCREMENTAL\n{DEFINITION['query']}")
    assert RUNNER.invoke(app, ["plan"]).exit_code == 0
    registry = Registry.open(project.parent)
    limited = f"{DEFINITION['query']} LIMIT length('xy')"
    table = registry.find(TableName(("shop", "daily")))
    registry.update(replace(table, query=limited))
    registry.close()
    file.write_text(f"-- refresh_mode: INCREMENTAL\n{limited}")
    assert RUNNER.invoke(app, ["plan"]).exit_code == 1
    applied = RUNNER.invoke(app, ["apply"])
    assert isinstance(applied.exception, InvalidProject)
    assert "Nothing was applied: tables/shop/daily.sql:2:" in str(applied.exception)
    file.write_text("-- schedule: 5m\nSELECT FROM WHERE")
    result = RUNNER.invoke(app, ["plan"])
    assert isinstance(result.exception, InvalidProject)
    assert "tables/shop/daily.sql:2:" in str(result.exception)


def test_init_makes_a_project_that_reads_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run("init", str(tmp_path / "new")).splitlines()
    assert str(tmp_path / "new/tables/shop/by_country.sql") in said
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidProject, match=r"There is no streamtables\.toml"):
        run("plan")


def test_statements_come_from_one_place(tmp_path: Path) -> None:
    assert RUNNER.invoke(app, ["sql"]).exit_code == 2
    (tmp_path / "x.sql").write_text("SELECT 1")
    assert RUNNER.invoke(app, ["sql", "SELECT 1", "--file", str(tmp_path / "x.sql")]).exit_code == 2


def test_pause_and_resume(warehouse: str) -> None:
    def status() -> Status:
        registry = Registry.open(warehouse)
        table = registry.find(TableName(("shop", "daily")))
        registry.close()
        assert table == replace(table, id="1")
        return table.status

    run("pause", "shop.daily", "-w", warehouse)
    assert status() is Status.PAUSED
    run("resume", "shop.daily", "-w", warehouse)
    assert status() is Status.ACTIVE


def test_an_error_is_one_line_and_exit_code_1(
    warehouse: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["streamtables", "history", "nope", "-w", warehouse])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "streamtables: There is no stream table default.nope. There are: shop.daily."


def test_an_unknown_table_is_told_with_the_nearest(
    warehouse: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["streamtables", "explain", "shop.dayly", "-w", warehouse])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.endswith("shop.dayly. Did you mean shop.daily?\n")


def test_misuse_is_exit_code_2() -> None:
    assert RUNNER.invoke(app, ["history"]).exit_code == 2


def test_help_starts_no_jvm_and_is_quick() -> None:
    script = (
        "import sys, time; from streamtables.cli import app; sys.argv = ['streamtables', '--help']\n"
        "try: app()\nexcept SystemExit: pass\n"
        "assert not {'pyspark', 'py4j', 'sqlalchemy', 'sqlglot'} & set(sys.modules)\n"
        "print(time.process_time())"
    )
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert float(run.stdout.split()[-1]) < 1, (
        "0.5 s is the promise, on a machine that does nothing else"
    )


def test_debug_shows_the_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    command = ["streamtables", "list", "-w", str(tmp_path / "nowhere"), "--debug"]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(StreamTablesError, match="There is no warehouse"):
        main()
