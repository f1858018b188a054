"""Planted bugs: each breaks a rule in a way that engines have been broken, and the cases must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from helpers.specification import SQL
from sqlglot import exp

from streamtables.errors import NegativeCount
from streamtables.plan import expr, keys, settle, tally, weighted
from streamtables.plan import nodes as n
from streamtables.rules import (
    RULES,
    aggregate,
    derive,
    distinct,
    except_,
    fixpoint,
    intersect,
    join,
    kept_rows,
    kinds,
    match,
    stored_fixpoint,
    top,
    union,
)
from streamtables.sql import algebraic, from_, grouping, qualify, render, subquery
from streamtables.sql.compile import compile_query
from streamtables.testing import duck as lane
from streamtables.testing.bags import assert_same
from streamtables.testing.cases import Case, read_file
from streamtables.testing.duck_lane import DuckLane

if TYPE_CHECKING:
    from streamtables.sql.block import Block

Plant = Callable[[pytest.MonkeyPatch], None]


def passes(case: Case) -> bool:
    """Whether a case runs without any check failing."""
    with duckdb.connect(":memory:", config={"threads": 1}) as database:
        try:
            running = DuckLane(database, case)
            running.create()
            for step in case.steps:
                before = running.stored()
                running.run(step.statements)
                counts = running.refresh()
                after = running.stored()
                assert_same(after, running.full(), step.words)
                assert counts == ((after - before).total(), (before - after).total())
        except (AssertionError, NegativeCount):
            return False
        return True


def post_state_on_both_sides(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(derive.Derive, "old", lambda self, node: node)


def pre_state_on_both_sides(patch: pytest.MonkeyPatch) -> None:
    def delta_join(op: n.Join, rules: derive.Derive) -> n.Node:
        terms = []
        for i, child in enumerate(op.inputs):
            if (change := rules.leaf(child)) is not None:
                inputs = [
                    change if j == i else rules.old(other) for j, other in enumerate(op.inputs)
                ]
                terms.append(weighted.joined(inputs, op.on, op.columns))
        return weighted.added(terms, op.columns)

    patch.setitem(RULES, n.Join, delta_join)


def one_term_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(join, "added", lambda parts, names: weighted.added(parts[:1], names))


def sign_flipped(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(
        RULES,
        n.Scan,
        lambda op, _: weighted.weighted(n.Changed(op.source, op.fields, op.names), sign=-1),
    )


def weights_not_multiplied(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(weighted, "product", lambda values: next(iter(values)))


def equal_for_null_safe(patch: pytest.MonkeyPatch) -> None:
    plain = render.Render._semi_join

    def broken(self: render.Render, block: Block, node: n.Restrict) -> Block:
        put = lambda tree: exp.EQ(**tree.args) if isinstance(tree, exp.NullSafeEQ) else tree  # noqa: E731
        made = plain(self, block, node)
        return replace(made, reads=made.reads.transform(put))

    patch.setattr(render.Render, "_semi_join", broken)


def literal_keys_miss_null(patch: pytest.MonkeyPatch) -> None:
    among = render.among
    patch.setattr(
        render,
        "among",
        lambda name, found, dialect: among(name, [v for v in found if not v.is_null], dialect),
    )


def touched_keys_miss_null(patch: pytest.MonkeyPatch) -> None:
    plain = derive.Derive.touched_keys

    def broken(self: derive.Derive, change: n.Node, names: Any) -> n.Step:
        present = expr.Expr(
            exp.Not(this=exp.Is(this=expr.col(names[0]).tree, expression=exp.null()))
        )
        return plain(self, n.Filter(change, present), names)

    patch.setattr(derive.Derive, "touched_keys", broken)


def touched_rows_of_one_side(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kinds, "added", lambda parts, names: weighted.added(parts[:1], names))


def counts_clamped(patch: pytest.MonkeyPatch) -> None:
    at_most_one = lambda left, right: expr.least(expr.minus(left, right), expr.lit(1))  # noqa: E731
    patch.setattr(except_, "out_all", at_most_one)


def deficit_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(except_, "greatest", lambda left, _: left)


def least_is_greatest(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(intersect, "least", expr.greatest)


def copies_shown_by_distinct(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(distinct, "out", lambda left, _: left)


def union_without_its_right_side(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(union, "out", lambda left, _: expr.one_if(expr.is_above_zero(left)))


def except_asks_left_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(except_, "out_set", lambda left, _: expr.one_if(expr.is_above_zero(left)))


def old_counts_are_new(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kinds, "_MOVED", ("_left", "_right"))


def consolidation_skipped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(derive, "consolidated", lambda node: node)


def old_groups_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kinds, "regroup", lambda op, rules: weighted.weighted(op))
    patch.setattr(aggregate, "regroup", lambda op, rules: weighted.weighted(op))


def kept_copies_not_put_back(patch: pytest.MonkeyPatch) -> None:
    def forgets(change: n.Step, taken: n.Step, fields: Any) -> n.Node:
        plan = settle.settled(change, taken, fields)
        return replace(plan, items=(plan.items[0], expr.Item(settle.STORED, expr.lit(0))))

    patch.setattr(lane, "settled", forgets)
    patch.setattr(lane, "NegativeCount", AssertionError)


def having_forgotten(patch: pytest.MonkeyPatch) -> None:
    def projections(plan: n.Node) -> tuple[list[n.Node], n.Node]:
        above, core = keys.linear_above(plan)
        return [op for op in above if isinstance(op, n.Project)], core

    patch.setattr(derive, "linear_above", projections)


def narrowed_by_the_wrong_column(patch: pytest.MonkeyPatch) -> None:
    def wrong(on: Any, left: set[str], right: set[str]) -> list[tuple[str, str]]:
        ours = sorted(left - {n.WEIGHT})
        return [(ours[0], other) for _, other in join_pairs(on, left, right)]

    join_pairs = join.equal_columns
    patch.setattr(join, "equal_columns", wrong)


def nothing(node: n.Node) -> n.Node:
    return n.Filter(node, expr.never())


def flips_sign_flipped(patch: pytest.MonkeyPatch) -> None:
    flips = match._flips
    patch.setattr(match, "_flips", lambda *args: weighted.weighted(flips(*args), sign=-1))


def met_by_rows_of_now(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(derive.Derive, "old", lambda self, node: node)


def padding_forgotten(patch: pytest.MonkeyPatch) -> None:
    padded = match._padded
    patch.setattr(match, "_padded", lambda *args, **sign: nothing(padded(*args, **sign)))


def padding_never_taken_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(match, "is_not_zero", expr.is_below_zero)


def lost_matches_not_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(match, "is_not_zero", expr.is_above_zero)


def every_match_is_the_first(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(match, "one_if", lambda condition: expr.Expr(condition.tree.this))


def right_conditions_not_asked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(match, "_filtered", lambda node, _: node)


def full_join_is_left_join(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        match, "_full", lambda op, rules: match.delta_match(replace(op, kind="left"), rules)
    )


def old_marks_stay(patch: pytest.MonkeyPatch) -> None:
    marked = match._marked

    def broken(flips: n.Node, mark: str, *, value: bool) -> n.Node:
        found = marked(flips, mark, value=value)
        return found if value else nothing(found)

    patch.setattr(match, "_marked", broken)


def not_in_forgets_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(subquery, "_on_unknown", lambda *_: [])


def count_of_nothing_is_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(grouping, "over_nothing", lambda _: exp.null())


def rolled_up_null_is_null(patch: pytest.MonkeyPatch) -> None:
    expanded = grouping.Grouping._expanded

    def merged(self: grouping.Grouping, keys: Any) -> Any:
        numbers, masked = expanded(self, keys)
        plan = self.select.plan
        items = (
            expr.Item(name, expr.lit(0)) if name in numbers else expr.item(name)
            for name in plan.columns
        )
        self.select.plan = n.Project(plan, tuple(items))
        return numbers, masked

    patch.setattr(grouping.Grouping, "_expanded", merged)


def old_rows_are_new(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kinds, "subtracted", lambda node, _: weighted.weighted(node))


def partitions_of_null_missed(patch: pytest.MonkeyPatch) -> None:
    touched_keys_miss_null(patch)


def wanted_by_what_changed(patch: pytest.MonkeyPatch) -> None:
    def want(self: derive.Derive, op: n.Join | n.Match) -> None:
        for group, key, part in derive.wanted_groups(op):
            self._wanted.setdefault(id(group), {})[key] = part

    patch.setattr(derive.Derive, "want", want)


def only_wanted_groups_are_padded(patch: pytest.MonkeyPatch) -> None:
    def delta_match(op: n.Match, rules: derive.Derive) -> n.Node:
        rules.want(replace(op, kind="left"))
        return match.delta_match(op, rules)

    patch.setitem(RULES, n.Match, delta_match)


def flips_are_told_by_any_change(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(match, "unique_keys", lambda _: [()])


def rows_behind_the_last_never_move_up(patch: pytest.MonkeyPatch) -> None:
    moved_up = top._moved_up
    patch.setattr(top, "_moved_up", lambda *args: n.Filter(moved_up(*args), expr.never()))


def generated_rows_only_come(patch: pytest.MonkeyPatch) -> None:
    def once(node: n.Node) -> n.Node:
        items = map(expr.item, weighted.plain_columns(node))
        return n.Project(node, (*items, expr.Item(n.WEIGHT, expr.lit(1))))

    patch.setattr(weighted, "_weight_last", once)


def recursion_of_now_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fixpoint, "_old", lambda node, _: node)


def rows_that_come_and_go_are_netted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(stored_fixpoint, "_apart", weighted.consolidated)


def borrowed_only_on_the_left(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(from_.From, "_stand_beside", lambda *_: [])


def shared_column_of_the_first_table(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(qualify, "with_shared_columns", lambda _: None)


def hidden_rows_not_kept(patch: pytest.MonkeyPatch) -> None:
    plain = kept_rows.copies_in_all

    def shown(counts: tuple[str, ...]) -> expr.Expr:
        now = expr.minus(*map(expr.col, (counts[0], counts[-1])))
        return now if counts[0] == "_copies_0" else plain(counts)

    patch.setattr(kept_rows, "copies_in_all", shown)


def branches_swapped(patch: pytest.MonkeyPatch) -> None:
    plain = tally.counters
    patch.setattr(kept_rows, "counters", lambda core: plain(core)[::-1])


def lost_extremum_stays(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(algebraic.Extreme, "is_lost", lambda *_: expr.never())


def every_not_false_is_true(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(algebraic._KINDS, "bool_and", "bool_or")


PLANTS: dict[Plant, str] = {
    hidden_rows_not_kept: "except",
    branches_swapped: "except_all",
    lost_extremum_stays: "aggregate",
    every_not_false_is_true: "aggregate",
    post_state_on_both_sides: "join",
    pre_state_on_both_sides: "join",
    one_term_only: "join",
    sign_flipped: "scan",
    weights_not_multiplied: "join",
    equal_for_null_safe: "distinct",
    literal_keys_miss_null: "aggregate",
    touched_keys_miss_null: "aggregate",
    touched_rows_of_one_side: "union",
    counts_clamped: "except_all",
    deficit_forgotten: "except_all",
    least_is_greatest: "intersect_all",
    copies_shown_by_distinct: "distinct",
    union_without_its_right_side: "union",
    except_asks_left_only: "except",
    old_counts_are_new: "distinct",
    consolidation_skipped: "union_all",
    old_groups_forgotten: "aggregate",
    kept_copies_not_put_back: "scan",
    having_forgotten: "aggregate",
    narrowed_by_the_wrong_column: "join",
    flips_sign_flipped: "semi_join",
    met_by_rows_of_now: "outer_join",
    padding_forgotten: "outer_join",
    padding_never_taken_back: "outer_join",
    lost_matches_not_counted: "semi_join",
    every_match_is_the_first: "semi_join",
    right_conditions_not_asked: "outer_join",
    full_join_is_left_join: "outer_join",
    old_marks_stay: "semi_join",
    not_in_forgets_null: "semi_join",
    count_of_nothing_is_null: "subquery",
    rolled_up_null_is_null: "grouping_sets",
    old_rows_are_new: "window",
    partitions_of_null_missed: "window",
    wanted_by_what_changed: "subquery",
    rows_behind_the_last_never_move_up: "limit",
    only_wanted_groups_are_padded: "subquery",
    flips_are_told_by_any_change: "outer_join",
    generated_rows_only_come: "generate",
    recursion_of_now_twice: "recursion",
    rows_that_come_and_go_are_netted: "recursion",
    borrowed_only_on_the_left: "right_and_full_joins",
    shared_column_of_the_first_table: "right_and_full_joins",
}
CASES = {name: read_file(next(SQL.rglob(f"{name}.sql"))) for name in set(PLANTS.values())}


@pytest.mark.long
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_planted_bug_is_caught(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_query.cache_clear()  # a plan made before would hide a bug in how plans are made
    plant(monkeypatch)
    cases = [case for case in CASES[PLANTS[plant]] if not case.lane]
    assert not all(passes(case) for case in cases)
    compile_query.cache_clear()
