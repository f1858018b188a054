"""A view under random changes: each refresh gives what the query gives, or the smallest changes that show it not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from streamtables.errors import StreamTablesError
from streamtables.sql.dialect import Exact
from streamtables.sql.parse import parse_query
from streamtables.testing.cases import Case, Step
from streamtables.testing.duck import CannotRun
from streamtables.testing.follow import follow
from streamtables.testing.random_tables import VALUES, Table, random_batch, random_insert
from streamtables.testing.told import CaseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamtables.api import StreamTables
    from streamtables.testing.random_tables import Values

FIRST_ROWS = 5


def assert_incremental_equals_full(
    view: str,
    sources: Mapping[str, str] | Iterable[str],
    changes: Iterable[str | Sequence[str]] | None = None,
    *,
    rounds: int = 20,
    seed: int = 0,
    stream_tables: StreamTables | None = None,
) -> None:
    """Keep a view through changes of its sources, and compare it with its query after each.

    Args:
        view: The query.
        sources: The columns of each table it reads, `{"orders": "id INT, amount DECIMAL(10,2)"}`, which are then filled
            at random; or the statements that make and fill the tables.
        changes: Batches of statements, each a refresh; `rounds` random ones if left out.
        rounds: How many random batches.
        seed: Another one draws other changes; the same draws the same.
        stream_tables: Where to run it on Spark (the fixture of that name); on DuckDB if left out.
    """
    __tracebackhide__ = True  # the test's own line says enough
    try:
        said = _said(_case(view, sources, changes, rounds, Random(seed)), stream_tables)
    except CannotRun as error:
        raise CannotRun(f"{error}: give `stream_tables`, to run it on Spark") from None
    except (CaseError, StreamTablesError) as error:
        raise error.with_traceback(None) from None
    if said is not None:
        raise AssertionError(said)


def _said(case: Case, stream_tables: StreamTables | None) -> str | None:
    """What is wrong, with the smallest case that shows it; None where nothing is."""
    error = _failure(case, stream_tables)
    if error is None:
        return None
    smallest, error = _smallest(case, error, stream_tables)
    return f"{error}\n\nThe smallest case that fails:\n\n{written(smallest)}"


def written(case: Case) -> str:
    """A case as a file has it."""
    parts = [f"-- title: {case.title}", *(f"{text};" for text in case.setup)]
    parts += ["-- stream: incremental", f"{case.query.rstrip().rstrip(';')};"]
    for step in case.steps:
        parts += [f"-- change: {step.words}", *(f"{text};" for text in step.statements)]
    return "\n".join(parts)


def _case(
    view: str,
    sources: Mapping[str, str] | Iterable[str],
    changes: Iterable[str | Sequence[str]] | None,
    rounds: int,
    rng: Random,
) -> Case:
    is_drawn = isinstance(sources, Mapping)
    setup = (
        tuple(f"CREATE TABLE {name} ({columns})" for name, columns in sources.items())
        if isinstance(sources, Mapping)
        else tuple(sources)
    )
    case = Case(Path("random"), 0, "under changes", setup, "incremental", query=view)
    tables = [
        Table(str(source.name), tuple((column.name, column.type) for column in source.columns))
        for source in case.sources
    ]
    values = _values(view, tables) if is_drawn or changes is None else {}
    if is_drawn:
        filled = (random_insert(rng, table, FIRST_ROWS, values) for table in tables)
        case = replace(case, setup=(*setup, *filled))
    if changes is None:
        batches: list[tuple[str, ...]] = [random_batch(rng, tables, values) for _ in range(rounds)]
    else:
        batches = [(batch,) if isinstance(batch, str) else tuple(batch) for batch in changes]
    steps = (Step(number, str(number), batch) for number, batch in enumerate(batches, 1))
    return replace(case, steps=tuple(steps))


def _values(view: str, tables: Iterable[Table]) -> Values:
    """Literals per type of the tables' columns: few, so that rows meet; those that the view names are among them."""
    named = list(parse_query(view).find_all(exp.Literal))
    texts = tuple(f"'{found.name}'" for found in named if found.is_string and "'" not in found.name)
    numbers = tuple(found.name for found in named if found.is_int and len(found.name) < 5)
    values: dict[str, tuple[str, ...]] = {}
    for kind in {kind for table in tables for _, kind in table.columns}:
        base = kind.partition("(")[0]
        if base in ("string", "varchar", "char"):
            values[kind] = (*VALUES["string"], *texts)
        elif base in ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"):
            few = VALUES["double" if base in ("float", "double") else "int"]
            values[kind] = (*few, *numbers)
        elif base in ("timestamp", "timestamp_ntz"):
            values[kind] = tuple(
                text.replace("TIMESTAMP_NTZ", base.upper()) for text in VALUES["timestamp_ntz"]
            )
        elif base in VALUES:
            values[kind] = VALUES[base]
        else:
            raise CaseError(f"No values are drawn for the type {kind}: give the changes")
    return values


def _failure(case: Case, stream_tables: StreamTables | None) -> AssertionError | None:
    try:
        if stream_tables is None:
            from streamtables.testing.duck_lane import DuckLane, duck_database

            with duck_database() as database:
                follow(case, DuckLane(database, case))
        else:
            from streamtables.testing.spark_lane import SparkLane

            with SparkLane(stream_tables, case) as lane:
                follow(case, lane)
    except AssertionError as error:
        return error
    return None


def _smallest(
    case: Case, error: AssertionError, stream_tables: StreamTables | None
) -> tuple[Case, AssertionError]:
    """Leave out changes, statements and rows while it still fails."""
    tried = 0
    while (smaller := next(islice(_smaller(case), tried, None), None)) is not None:
        found = _failure(smaller, stream_tables)
        if found is None:
            tried += 1
        else:
            case, error = smaller, found
    return case, error


def _smaller(case: Case) -> Iterator[Case]:
    """Each thing left out; the later ones first, since what comes after the failure matters least."""
    for i in reversed(range(len(case.steps))):
        yield replace(case, steps=(*case.steps[:i], *case.steps[i + 1 :]))
    for i in reversed(range(len(case.steps))):
        step = case.steps[i]
        for fewer in _fewer(step.statements):
            yield replace(
                case,
                steps=(*case.steps[:i], replace(step, statements=fewer), *case.steps[i + 1 :]),
            )
    for fewer in _fewer(case.setup):
        yield replace(case, setup=fewer)


def _fewer(statements: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The statements without one of them, or with one row less; tables stay."""
    for i, text in enumerate(statements):
        if text.upper().startswith("CREATE"):
            continue
        yield (*statements[:i], *statements[i + 1 :])
        tree = sqlglot.parse_one(text, read=Exact)
        rows = tree.expression.expressions if isinstance(tree, exp.Insert) else []
        for number in range(len(rows) if len(rows) > 1 else 0):
            less = tree.copy()
            less.expression.expressions[number].pop()
            yield (*statements[:i], less.sql(Exact), *statements[i + 1 :])
