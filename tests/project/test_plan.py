"""Plans: what each kind of edit leads to, told from text as far as text can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from helpers.lake_of_names import LakeOfNames

from streamtables.errors import CycleFound, InvalidProject
from streamtables.model import Column, StreamTable
from streamtables.project.files import read_file
from streamtables.project.plan import plan_project
from streamtables.project.select import select
from streamtables.refresh.define import define

if TYPE_CHECKING:
    from streamtables.project.steps import ProjectPlan
    from streamtables.refresh.engine import Engine

ORDERS = tuple(Column(name, "bigint") for name in ("id", "country", "amount"))
FILES = {
    "daily": "-- tags: finance\nSELECT country, sum(amount) AS total FROM shop.orders GROUP BY country",
    "best": "SELECT country, total FROM shop.daily WHERE total > 10",
    "count": "SELECT count(*) AS n FROM shop.best",
    "other": "SELECT id FROM shop.orders",
}


def no_lake() -> Engine:
    raise AssertionError("asked of the lake what text can tell")


def declared(files: dict[str, str]):
    return [read_file(text, f"tables/shop/{name}.sql") for name, text in files.items()]


@pytest.fixture
def applied() -> list[StreamTable]:
    """The stream tables of the files, as the registry has them."""
    lake = LakeOfNames({"`shop`.`orders`": ORDERS})
    tables = []
    for one in declared(FILES):
        table = define(lake, one.name, one.query, one.schedule, one.refresh_mode.value)  # type: ignore[arg-type]
        lake.columns[one.name.key] = table.columns
        tables.append(table)
    return tables


def test_only_what_its_files_declared_once_is_the_projects_to_drop(
    applied: list[StreamTable],
) -> None:
    left = {name: text for name, text in FILES.items() if name != "other"}
    other = next(table.id for table in applied if table.name.parts[-1] == "other")
    assert shown(plan(left, applied, drop=True, owned={other}))["other"] == ("removed", "drop")
    assert "other" not in shown(plan(left, applied, drop=True, owned=set()))


def plan(
    files: dict[str, str], tables: list[StreamTable], *, lake: bool = True, **options: Any
) -> ProjectPlan:
    names = {"`shop`.`orders`": ORDERS} | {table.name.key: table.columns for table in tables}
    engine = (lambda: LakeOfNames(names)) if lake else no_lake
    return plan_project(declared(files), tables, {table.id for table in tables}, engine, **options)  # type: ignore[arg-type]


def shown(found: ProjectPlan) -> dict[str, tuple[str, str]]:
    return {
        step.name.parts[-1]: (step.change.value, str(step.row["action"])) for step in found.steps
    }


def test_a_new_project_is_made_in_order() -> None:
    found = plan(dict(reversed(FILES.items())), [])
    assert [step.name.parts[-1] for step in found.steps if step.name.parts[-1] != "other"] == [
        "daily",
        "best",
        "count",
    ]
    assert set(shown(found).values()) == {("added", "create")}
    assert found.steps[0].why == "new; incremental from then on"


def test_an_unchanged_project_asks_no_lake(applied: list[StreamTable]) -> None:
    spaced = {
        **FILES,
        "other": "-- words\nSELECT  id -- more words\n FROM shop.orders",
    }
    found = plan(spaced, applied, lake=False)
    assert set(shown(found).values()) == {("unchanged", "nothing")}
    assert found.to_do == ()


def test_a_schedule_moves_no_row_and_asks_no_lake(applied: list[StreamTable]) -> None:
    found = plan({**FILES, "daily": f"-- schedule: 9m\n{FILES['daily']}"}, applied, lake=False)
    assert shown(found)["daily"] == ("changed", "settings")
    assert found.steps[0].why in ("schedule None → 9m", "as applied")
    assert len(found.to_do) == 1


def test_a_query_that_changes_affects_what_reads_it(applied: list[StreamTable]) -> None:
    found = plan(
        {**FILES, "daily": FILES["daily"].replace("shop.orders", "shop.orders WHERE amount > 5")},
        applied,
    )
    assert shown(found) == {
        "daily": ("changed", "rebuild"),
        "best": ("affected", "incremental"),
        "count": ("affected", "incremental"),
        "other": ("unchanged", "nothing"),
    }


def test_a_column_that_comes_is_told_and_rebuilds_nothing_below(applied: list[StreamTable]) -> None:
    more = FILES["daily"].replace("AS total", "AS total, max(amount) AS most")
    found = plan({**FILES, "daily": more}, applied)
    daily = next(step for step in found.steps if step.name.parts[-1] == "daily")
    assert daily.why == "the query changed; columns +most bigint; incremental from then on"
    assert shown(found)["best"] == ("affected", "incremental")


def test_a_column_that_goes_refuses_what_reads_it(applied: list[StreamTable]) -> None:
    less = FILES["daily"].replace("sum(amount) AS total", "count(*) AS n")
    found = plan({**FILES, "daily": less}, applied)
    assert shown(found)["best"] == ("affected", "refused")
    assert "tables/shop/best.sql: " in str(found.refused[0].error)
    assert "reads shop.best, which is refused" in str(found.refused[1].error)


def test_a_file_that_goes_is_dropped_only_when_asked(applied: list[StreamTable]) -> None:
    less = {name: text for name, text in FILES.items() if name != "count"}
    assert shown(plan(less, applied, lake=False))["count"] == ("removed", "nothing")
    found = plan(less, applied, lake=False, drop=True)
    assert shown(found)["count"] == ("removed", "drop")
    assert found.steps[-1].name.parts[-1] == "count"


def test_a_table_that_others_read_is_not_dropped(applied: list[StreamTable]) -> None:
    less = {name: text for name, text in FILES.items() if name != "best"}
    found = plan(less, applied, lake=False, drop=True)
    assert "shop.count reads it" in str(found.refused[0].error)


def test_other_checks_rebuild_the_table_and_affect_what_reads_it(
    applied: list[StreamTable],
) -> None:
    checked = {**FILES, "daily": f"-- expect: some (total > 0) on mismatch drop\n{FILES['daily']}"}
    found = plan(checked, applied)
    assert shown(found) == {
        "daily": ("changed", "rebuild"),
        "best": ("affected", "incremental"),
        "count": ("affected", "incremental"),
        "other": ("unchanged", "nothing"),
    }
    (daily,) = (step for step in found.steps if step.name.parts[-1] == "daily")
    assert daily.why == "checks +some (total > 0) ON MISMATCH DROP; incremental from then on"
    assert daily.is_new_query
    refused = plan({**FILES, "other": f"-- expect: none (sum(id) > 0)\n{FILES['other']}"}, applied)
    assert "several rows" in str(refused.refused[0].error)


def test_a_rebuild_that_did_not_end_is_taken_up(applied: list[StreamTable]) -> None:
    filled = {table.id for table in applied if table.name.parts[-1] != "other"}
    found = plan_project(declared(FILES), applied, filled, no_lake)
    assert shown(found)["other"] == ("unchanged", "rebuild")


def test_incremental_is_refused_where_it_cannot_be(applied: list[StreamTable]) -> None:
    some = "-- refresh_mode: INCREMENTAL\nSELECT id FROM shop.orders LIMIT length('xy')"
    found = plan({**FILES, "other": some}, applied)
    assert shown(found)["other"] == ("changed", "refused")
    assert "tables/shop/other.sql" in str(found.refused[0].error)


def test_a_cycle_is_refused() -> None:
    with pytest.raises(CycleFound, match="would read themselves"):
        plan({"a": "SELECT x FROM shop.b", "b": "SELECT x FROM shop.a"}, [])


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ("shop.best", {"best"}),
        ("+shop.best", {"daily", "best"}),
        ("shop.best+", {"best", "count"}),
        ("+shop.best+", {"daily", "best", "count"}),
        ("tag:finance shop.other", {"daily", "other"}),
        ("tag:finance+", {"daily", "best", "count"}),
        ("path:tables/shop/o", {"other"}),
        ("shop.*t", {"best", "count"}),
    ],
)
def test_selections(applied: list[StreamTable], terms: str, names: set[str]) -> None:
    assert shown(select(plan(FILES, applied), terms)).keys() == names


def test_a_selection_of_nothing_says_what_is_near(applied: list[StreamTable]) -> None:
    with pytest.raises(InvalidProject, match=r"Did you mean shop\.best\?"):
        select(plan(FILES, applied), "shop.bets")


def test_a_selection_that_lacks_a_table_is_refused() -> None:
    found = select(plan(FILES, []), "shop.best")
    assert "Select +shop.best" in str(found.refused[0].error)
