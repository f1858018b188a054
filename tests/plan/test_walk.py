"""Walking trees."""

from __future__ import annotations

from helpers.plans import plan

from streamtables.plan import nodes as n
from streamtables.plan.walk import children, every, find, rewrite, sources, with_children

QUERY = (
    "SELECT k FROM l WHERE id > 1 EXCEPT (SELECT k FROM r UNION ALL SELECT DISTINCT l.k FROM l, r)"
)


def test_rebuilding_every_node_from_its_inputs_gives_the_same_tree() -> None:
    tree = plan(QUERY)
    assert rewrite(tree, lambda node: with_children(node, children(node))) == tree


def test_finding() -> None:
    tree = plan(QUERY)
    assert sources(tree) == {"`l`", "`r`"}
    assert len(list(find(tree, n.Scan))) == 4
    assert next(every(tree)) is tree


def test_rewriting_goes_from_the_leaves_up() -> None:
    seen: list[str] = []

    def note(node: n.Node) -> n.Node:
        seen.append(type(node).__name__)
        return node

    rewrite(plan("SELECT id FROM l WHERE k = 1"), note)
    assert seen == ["Scan", "Filter", "Project"]
