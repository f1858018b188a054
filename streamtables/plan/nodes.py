"""The operators: frozen, checked when built, the whole algebra in one file.

Every node knows its `columns`; a name means one column everywhere below a join, so nothing is ever qualified.
A relation is a bag. A *weighted* relation carries the column `_weight`: a row with weight w stands for w copies,
and a change is a weighted relation whose weights may be negative.

The first group is what a query says. The second is what a delta needs besides: `Scan` there means the source at
the version the refresh has pinned (the new state).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamtables.plan.expr import Expr, Item

WEIGHT = "_weight"


class InvalidPlan(AssertionError):
    """A node that cannot be: a fault of the program, never of the query."""


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise InvalidPlan(message)


def _distinct(names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        _require(name.lower() not in seen, f"{where} has two columns named {name}")
        seen.add(name.lower())


class Node:
    """An operator; its `columns` are the names of its answer, in order."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of its answer."""
        raise NotImplementedError


def _reads(expr: Expr, child: Node, where: str) -> None:
    missing = expr.columns - set(child.columns)
    _require(not missing, f"{where} reads {sorted(missing)}, its input has {list(child.columns)}")


# --- what a query says ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Scan(Node):
    """A source: `names[i]` is what the plan calls its column `fields[i]`, `types[i]` its type where that is told."""

    source: str
    fields: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require(len(self.fields) == len(self.names), "Scan needs a name per field")
        _require(len(self.types) in (0, len(self.names)), "Scan needs a type per name, or none")
        _distinct(self.names, "Scan")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class OneRow(Node):
    """One row without columns: what SELECT reads where there is no FROM."""

    @property
    def columns(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Filter(Node):
    """The rows for which the condition is true."""

    child: Node
    condition: Expr

    def __post_init__(self) -> None:
        _reads(self.condition, self.child, "Filter")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@dataclass(frozen=True)
class Project(Node):
    """Each row mapped to the items; equal rows stay as many as they were."""

    child: Node
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        for item in self.items:
            _reads(item.expr, self.child, "Project")
        _distinct(self.columns, "Project")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.items)


@dataclass(frozen=True)
class Join(Node):
    """Inner and cross join of any number of inputs, in the order in which they are to be joined."""

    inputs: tuple[Node, ...]
    on: tuple[Expr, ...] = ()

    def __post_init__(self) -> None:
        _distinct(self.columns, "Join")
        for condition in self.on:
            missing = condition.columns - set(self.columns)
            _require(not missing, f"Join reads {sorted(missing)}")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for child in self.inputs for name in child.columns)


@dataclass(frozen=True)
class UnionAll(Node):
    """The rows of all inputs, columns matched by position and named by the first."""

    inputs: tuple[Node, ...]

    def __post_init__(self) -> None:
        widths = {len(child.columns) for child in self.inputs}
        _require(len(widths) == 1, "UnionAll needs inputs of one width")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inputs[0].columns


@dataclass(frozen=True)
class Aggregate(Node):
    """One row per group of equal `keys` (NULL equals NULL); without keys, exactly one row."""

    child: Node
    keys: tuple[str, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        _require(
            set(self.keys) <= set(self.child.columns), "Aggregate groups by columns of its input"
        )
        for item in self.items:
            _reads(item.expr, self.child, "Aggregate")
        _distinct(self.columns, "Aggregate")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *(item.name for item in self.items))


@dataclass(frozen=True)
class Match(Node):
    """Two inputs where it matters whether a row meets another: outer, semi and anti joins.

    `semi` keeps the left rows that meet a right one, `anti` those that meet none, `left` joins and pads the left rows
    that meet none, `full` pads on both sides, and `mark` says of every left row, in a column, whether it meets one.
    """

    left: Node
    right: Node
    on: tuple[Expr, ...]
    kind: str
    mark: str = ""

    def __post_init__(self) -> None:
        _require(self.kind in ("semi", "anti", "left", "full", "mark"), f"Match has no {self.kind}")
        both = (*self.left.columns, *self.right.columns)
        _distinct((*both, self.mark) if self.mark else both, "Match")
        for condition in self.on:
            missing = condition.columns - set(both)
            _require(not missing, f"Match reads {sorted(missing)}")

    @property
    def columns(self) -> tuple[str, ...]:
        if self.kind in ("left", "full"):
            return (*self.left.columns, *self.right.columns)
        return (*self.left.columns, *((self.mark,) if self.mark else ()))


@dataclass(frozen=True)
class Window(Node):
    """Window functions over one PARTITION BY: every row of the input with the items computed beside it."""

    child: Node
    keys: tuple[str, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        _require(set(self.keys) <= set(self.child.columns), "Window parts by columns of its input")
        for item in self.items:
            _reads(item.expr, self.child, "Window")
        _distinct(self.columns, "Window")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *(item.name for item in self.items))


@dataclass(frozen=True)
class Generate(Node):
    """Each row once per row that a generator such as `explode` makes of it, with `names` beside it.

    With `is_outer` a row of which nothing is made stays, with NULLs.
    """

    child: Node
    call: Expr
    is_outer: bool
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        _reads(self.call, self.child, "Generate")
        _distinct(self.columns, "Generate")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *self.names)


@dataclass(frozen=True)
class Constant(Node):
    """A relation that reads no source, such as VALUES."""

    relation: Expr
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class Fixpoint(Node):
    """WITH RECURSIVE: the rows of `base`, and of `step` over the rows found last, until there are no more.

    `most` is how many times Spark goes on before it fails, if the query says so.
    """

    name: str
    base: Node
    step: Node
    names: tuple[str, ...]
    most: str = ""

    def __post_init__(self) -> None:
        same = len(self.base.columns) == len(self.step.columns) == len(self.names)
        _require(same, "Fixpoint needs inputs of one width")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class Recur(Node):
    """Inside the step of a Fixpoint: the rows found last."""

    name: str
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class Distinct(Node):
    """Each different row once."""

    child: Node

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@dataclass(frozen=True)
class _Pair(Node):
    """Two inputs whose columns match by position, named by the left one."""

    left: Node
    right: Node

    def __post_init__(self) -> None:
        same = len(self.left.columns) == len(self.right.columns)
        _require(same, f"{type(self).__name__} needs inputs of one width")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns


@dataclass(frozen=True)
class Union(_Pair):
    """The different rows of either input."""


@dataclass(frozen=True)
class Intersect(_Pair):
    """The rows that both inputs have: each once, or with `all` as often as in the poorer one."""

    all: bool


@dataclass(frozen=True)
class Except(_Pair):
    """The rows of the left input that the right one lacks: each once, or with `all` as often as it has more."""

    all: bool


# --- what a delta needs besides ------------------------------------------------------------------


@dataclass(frozen=True)
class Changed(Node):
    """The change of a source over the refresh's window: its rows and their `_weight`, consolidated."""

    source: str
    fields: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.names, WEIGHT)


@dataclass(frozen=True)
class Step(Node):
    """The materialised answer of an earlier step of the same refresh."""

    name: str
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class Stored(Node):
    """The stream table itself as of its last commit."""

    fields: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class State(Node):
    """What the engine keeps for itself beside the stream table, as of the last refresh."""

    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class Restrict(Node):
    """The rows of `child` whose columns `on` equal (`<=>`) some row of the materialised `keys`.

    If it `is_rough`, others may come along: they do no harm, and may be cheaper to read than to tell apart.
    """

    child: Node
    keys: Step
    on: tuple[str, ...]
    is_rough: bool = False

    def __post_init__(self) -> None:
        _require(set(self.on) <= set(self.child.columns), "Restrict compares columns of its input")
        _require(len(self.on) == len(self.keys.columns), "Restrict needs a column per key")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@dataclass(frozen=True)
class Narrow(Node):
    """A hint: only rows whose `column` is a value of `keys.key` matter above. May be ignored."""

    child: Node
    column: str
    keys: Changed | Step
    key: str

    def __post_init__(self) -> None:
        _require(self.column in self.child.columns, "Narrow reads a column of its input")
        _require(self.key in self.keys.columns, "Narrow reads a column of its keys")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@dataclass(frozen=True)
class Copies(Node):
    """A weighted relation, its weights all above zero, as a bag: each row `_weight` times, the weight gone."""

    child: Node

    def __post_init__(self) -> None:
        _require(self.child.columns[-1] == WEIGHT, "Copies needs the weight last")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns[:-1]
