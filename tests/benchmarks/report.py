"""What was measured, as a table in Markdown, as JSON, and against an earlier run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from benchmarks.cell import Cell
    from benchmarks.data import Sizes

_MODES = ("AUTO", "INCREMENTAL", "FULL")


def as_json(cell: Cell, sizes: Sizes, mode: str, *, is_two_sources: bool) -> dict[str, Any]:
    """A cell as a record that later runs can be compared with."""
    refreshes = cell.costs["refresh"]
    return {
        "view": cell.view,
        "base": sizes.base,
        "batch": sizes.batch,
        "sources": 2 if is_two_sources else 1,
        "mode": mode,
        "rows": cell.rows,
        "actions": cell.actions,
        "seconds": {way: cell.seconds(way) for way in cell.costs},
        "to_full": cell.ratio("full"),
        "to_bare": cell.ratio("bare"),
        "commits": cell.commits,
        "jobs": median(cost.jobs for cost in refreshes),
        "outside": median(cost.outside for cost in refreshes),
        "files": median(cost.files for cost in refreshes),
        "rows_read": median(cost.rows for cost in refreshes),
        "collected": cell.collected,
        "peak_mb": max(cost.peak_mb for cost in refreshes),
        "costs": {way: [asdict(cost) for cost in costs] for way, costs in cell.costs.items()},
    }


def table(records: Sequence[dict[str, Any]]) -> str:
    """The records as a table in Markdown, with the medians and the worst over them below."""
    # fmt: off
    head = (
        "view", "base", "batch", "sources", "mode", "rows", "action", "refresh s", "full s", "bare s",
        "DuckDB s", "/full", "/bare", "jobs", "commits", "files", "rows read", "rows collected",
        "outside Spark s", "peak MB",
    )
    # fmt: on
    lines = [_line(head), _line(["---"] * len(head))]
    for r in records:
        seconds = [f"{r['seconds'][way]:.2f}" for way in ("refresh", "full", "bare", "duckdb")]
        shape = [r["view"], f"{r['base']:.0e}", f"{r['batch']:,}", r["sources"], r["mode"].lower()]
        shape.append(f"{r['rows']:,}")
        ratios = [f"{r['to_full']:.2f}", f"{r['to_bare']:.2f}"]
        counts = [f"{r['jobs']:g}", r["commits"], f"{r['files']:g}", f"{r['rows_read']:,.0f}"]
        driver = [f"{r['collected']:,}", f"{r['outside']:.2f}", f"{r['peak_mb']:,}"]
        action = r["actions"][-1].lower()
        lines.append(_line([*shape, action, *seconds, *ratios, *counts, *driver]))
    return "\n".join([*lines, "", *summary(records)])


def summary(records: Sequence[dict[str, Any]]) -> Iterable[str]:
    """How the refreshes stand to the other ways, over all records; where AUTO was measured, of it alone."""
    judged = [r for r in records if r["mode"] == "AUTO"] or records
    for other in ("full", "bare"):
        ratios = [r[f"to_{other}"] for r in judged]
        yield f"refresh / {other}: median {median(ratios):.2f}, worst {max(ratios):.2f}"
    yield from verdict(records)


def verdict(records: Sequence[dict[str, Any]]) -> Iterable[str]:
    """How often AUTO took the cheaper way, in the cells measured in all three modes, and what it lost.

    By its choices it lost what the dearer way takes more, in the rounds that took it; as measured also what the same
    way took more in another cell.
    """
    ways: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for record in records:
        ways.setdefault(_cell(record)[:-1], {})[record["mode"]] = record
    cells = [modes for modes in ways.values() if len(modes) == len(_MODES)]
    if not cells:
        return
    taken = known = lost = right = 0.0
    for modes in cells:
        auto, one, other = (modes[mode]["seconds"]["refresh"] for mode in _MODES)
        best = "INCREMENTAL" if one <= other else "FULL"
        actions = modes["AUTO"]["actions"][1:]
        right += actions[-1] == best
        lost += abs(one - other) * sum(action != best for action in actions) / len(actions)
        taken, known = taken + auto, known + min(one, other)
    yield (
        f"AUTO took the cheaper way in {right:g} of {len(cells)} cells; over always knowing it took "
        f"{100 * lost / known:.0f} % more by its choices, {100 * (taken / known - 1):+.0f} % as measured"
    )


def compared(new: Sequence[dict[str, Any]], old: Sequence[dict[str, Any]]) -> str:
    """Ratios, which a busy machine leaves alone, and jobs: before → after."""
    before = {_cell(record): record for record in old}
    lines = [_line(["view", "base", "batch", "/full", "/bare", "jobs"]), _line(["---"] * 6)]
    for record in new:
        was = before.get(_cell(record))
        if was is None:
            continue
        moved = [f"{was[name]:.2f} → {record[name]:.2f}" for name in ("to_full", "to_bare", "jobs")]
        shape = [record["view"], f"{record['base']:.0e}", f"{record['batch']:,}"]
        lines.append(_line([*shape, *moved]))
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """What the numbers have to be read with."""
    return {"cores": os.cpu_count(), "load": os.getloadavg()}


def save(records: Sequence[dict[str, Any]], folder: Path) -> None:
    """Write the results as they come, so that an interrupted run leaves what it has."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "cells": records}, indent=1)
    (folder / "bench.json").write_text(text, encoding="utf-8")
    (folder / "bench.md").write_text(table(records) + "\n", encoding="utf-8")


def load(file: Path) -> list[dict[str, Any]]:
    """The records of an earlier run."""
    cells: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return cells


def _cell(record: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("view", "base", "batch", "sources", "mode"))


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"
