"""Where the boxes of a graph lie: readers to the right of what they read, arrows around boxes and crossing little."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEIGHT, GAP_X, GAP_Y, MARGIN = 46, 60, 18, 12
_LETTER, _PADDING, _NARROWEST, _WIDEST = 8.3, 36, 170, 340
_BEND_HEIGHT = 8
_SWEEPS = 6


@dataclass(frozen=True)
class Bend:
    """The place beside the boxes of a column where an arrow passes: the rank of the column, and the arrow."""

    source: str
    reader: str
    rank: int


Spot = str | Bend


@dataclass(frozen=True)
class Box:
    """The place of a table or of a bend."""

    x: float
    y: float
    width: float
    height: float = HEIGHT

    @property
    def middle(self) -> float:
        """How far down arrows meet it."""
        return self.y + self.height / 2


@dataclass(frozen=True)
class Layout:
    """Every table's place, the places that each arrow passes, and the size of the whole."""

    boxes: Mapping[str, Box]
    arrows: Sequence[Sequence[Box]]
    width: float
    height: float


def layout(tables: Sequence[str], reads: Sequence[tuple[str, str]]) -> Layout:
    """Place the tables of a graph in columns."""
    rank = _ranks(tables, reads)
    paths = [_path(source, reader, rank) for source, reader in reads]
    columns = _columns(tables, rank, paths)
    pairs = [pair for path in paths for pair in pairwise(path)]
    for sweep in range(_SWEEPS):
        _sweep(columns, pairs, is_back=bool(sweep % 2))
    full = max((_tall(column) for column in columns), default=0.0)
    places: dict[Spot, Box] = {}
    x = float(MARGIN)
    for column in columns:
        width = max(_width(spot) for spot in column)
        y = MARGIN + (full - _tall(column)) / 2
        for spot in column:
            places[spot] = Box(x, y, width, _height(spot))
            y += _height(spot) + GAP_Y
        x += width + GAP_X
    return Layout(
        {name: places[name] for name in tables},
        [[places[spot] for spot in path] for path in paths],
        x - GAP_X + MARGIN,
        full + 2 * MARGIN,
    )


def _ranks(tables: Sequence[str], reads: Sequence[tuple[str, str]]) -> dict[str, int]:
    """A table's column: how many arrows lead to it at most; one that reads nothing stands next to its readers."""
    sources: dict[str, set[str]] = {name: set() for name in tables}
    for source, reader in reads:
        sources[reader].add(source)
    try:
        order = list(TopologicalSorter(sources).static_order())
    except CycleError:  # of a registry that somebody wrote by hand
        return dict.fromkeys(tables, 0)
    rank: dict[str, int] = {}
    for name in order:
        rank[name] = max((rank[source] + 1 for source in sources[name]), default=0)
    for name in tables:
        nearest = min((rank[reader] for source, reader in reads if source == name), default=None)
        if not sources[name] and nearest is not None:
            rank[name] = nearest - 1
    return rank


def _path(source: str, reader: str, rank: Mapping[str, int]) -> list[Spot]:
    bends = (Bend(source, reader, at) for at in range(rank[source] + 1, rank[reader]))
    return [source, *bends, reader]


def _columns(
    tables: Sequence[str], rank: Mapping[str, int], paths: Sequence[Sequence[Spot]]
) -> list[list[Spot]]:
    columns: list[list[Spot]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for name in sorted(tables):
        columns[rank[name]].append(name)
    for path in paths:
        for spot in path:
            if isinstance(spot, Bend):
                columns[spot.rank].append(spot)
    return columns


def _sweep(columns: list[list[Spot]], pairs: Sequence[tuple[Spot, Spot]], *, is_back: bool) -> None:
    """Order each column by where the neighbours of its spots stand in the one before."""
    near: dict[Spot, list[Spot]] = {}
    for one, other in pairs:
        near.setdefault(*((one, []) if is_back else (other, []))).append(other if is_back else one)
    place: dict[Spot, float] = {}
    for column in columns:
        place.update({spot: (i + 0.5) / len(column) for i, spot in enumerate(column)})
    for column in reversed(columns) if is_back else columns:
        mean = {spot: _mean([place[other] for other in near.get(spot, [spot])]) for spot in column}
        column.sort(key=mean.__getitem__)
        place.update({spot: (i + 0.5) / len(column) for i, spot in enumerate(column)})


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _height(spot: Spot) -> float:
    return _BEND_HEIGHT if isinstance(spot, Bend) else HEIGHT


def _width(spot: Spot) -> float:
    if isinstance(spot, Bend):
        return 0
    return min(max(len(spot) * _LETTER + _PADDING, _NARROWEST), _WIDEST)


def _tall(column: Sequence[Spot]) -> float:
    return sum(_height(spot) + GAP_Y for spot in column) - GAP_Y
