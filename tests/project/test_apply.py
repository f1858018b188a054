"""Applying: the steps in order, what reads a failed table skipped, nothing at all where something is refused."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from streamtables.errors import StreamTablesError
from streamtables.model import Action, Refresh, TableName
from streamtables.project.apply import apply_plan
from streamtables.project.files import read_file
from streamtables.project.steps import Change, Planned, ProjectPlan, Step

MOMENT = datetime(2026, 1, 2, tzinfo=timezone.utc)


class Told:
    """Notes the verbs that are called; creating `shop.bad` fails."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def create_stream_table(self, name: str, *_: object) -> Refresh:
        self.calls.append(f"create {name}")
        if "bad" in name:
            raise StreamTablesError("It broke")
        return Refresh("1", name, 1, Action.FULL, "FIRST_FILL", MOMENT, 1.0)

    def drop_stream_table(self, name: str) -> None:
        self.calls.append(f"drop {name}")


def planned(name: str, step: Step = Step.CREATE, *reads: str, error=None) -> Planned:
    full = TableName(("shop", name))
    file = read_file("SELECT 1 AS x", f"tables/shop/{name}.sql")
    keys = frozenset(TableName(("shop", other)).key for other in reads)
    return Planned(full, Change.ADDED, step, "", error, file, None, keys)


def test_what_reads_a_failed_table_is_skipped_and_the_rest_goes_on() -> None:
    plan = ProjectPlan(
        (
            planned("bad"),
            planned("below", Step.CREATE, "bad"),
            planned("deeper", Step.CREATE, "below"),
            planned("apart"),
            planned("gone", Step.DROP),
            planned("same", Step.NOTHING),
        )
    )
    told = Told()
    outcomes = [(done.row["name"], done.outcome) for done in apply_plan(plan, told)]  # type: ignore[arg-type]
    assert outcomes == [
        ("shop.bad", "failed"),
        ("shop.below", "skipped"),
        ("shop.deeper", "skipped"),
        ("shop.apart", "done"),
        ("shop.gone", "done"),
    ]
    assert told.calls == ["create `shop`.`bad`", "create `shop`.`apart`", "drop `shop`.`gone`"]


def test_a_refused_step_stops_all() -> None:
    plan = ProjectPlan((planned("a"), planned("b", error=StreamTablesError("It cannot be"))))
    told = Told()
    with pytest.raises(StreamTablesError, match=r"Nothing was applied: It cannot be\."):
        list(apply_plan(plan, told))  # type: ignore[arg-type]
    assert told.calls == []
