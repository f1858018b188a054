"""Definitions, frontiers and refreshes survive the way to JSON and back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamtables.codec import (
    definition_from_json,
    definition_to_json,
    frontier_from_json,
    frontier_to_json,
    moment_from_text,
    moment_to_text,
    refresh_from_dict,
    refresh_to_dict,
)
from streamtables.model import (
    Action,
    Column,
    Frontier,
    Position,
    Refresh,
    RefreshMode,
    Source,
    SourceKind,
    Status,
    StreamTable,
    TableName,
)

texts = st.text(max_size=20)
names = st.lists(st.text(min_size=1, max_size=10), min_size=1, max_size=3).map(
    lambda parts: TableName(tuple(parts))
)
moments = st.datetimes(timezones=st.just(timezone.utc))
numbers = st.integers(min_value=0, max_value=2**62)
columns = st.lists(st.builds(Column, texts, texts), max_size=3).map(tuple)
sources = st.builds(Source, names, st.sampled_from(SourceKind), columns)
tables = st.builds(
    StreamTable,
    id=texts,
    name=names,
    query=texts,
    schedule=st.none() | texts,
    refresh_mode=st.sampled_from(RefreshMode),
    columns=columns,
    sources=st.lists(sources, max_size=2).map(tuple),
    fingerprint=texts,
    generation=numbers,
    created_at=moments,
    status=st.sampled_from(Status),
    message=st.none() | texts,
)
frontiers = st.builds(
    Frontier,
    number=numbers,
    positions=st.dictionaries(texts, st.builds(Position, texts, numbers, texts), max_size=3),
    data_timestamp=st.none() | moments,
)
refreshes = st.builds(
    Refresh,
    table_id=texts,
    name=texts,
    number=numbers,
    action=st.sampled_from(Action),
    reason=texts,
    started_at=moments,
    seconds=st.floats(0, 1e6),
    rows_inserted=numbers,
    rows_deleted=numbers,
    version=st.none() | numbers,
    frontier=st.none() | frontiers,
    detail=st.none() | texts,
    error=st.none() | texts,
    measures=st.dictionaries(texts, st.floats(allow_nan=False), max_size=3),
    since=st.none() | frontiers,
)


@given(tables)
def test_a_definition_comes_back(table: StreamTable) -> None:
    assert definition_from_json(definition_to_json(table)) == table


@given(frontiers)
def test_a_frontier_comes_back(frontier: Frontier) -> None:
    assert frontier_from_json(frontier_to_json(frontier)) == frontier


@given(refreshes)
def test_a_refresh_comes_back(refresh: Refresh) -> None:
    assert refresh_from_dict(json.loads(json.dumps(refresh_to_dict(refresh)))) == refresh


def _with_more_keys(value: object) -> object:
    if isinstance(value, list):
        return [_with_more_keys(item) for item in value]
    if isinstance(value, dict):
        return {key: _with_more_keys(item) for key, item in value.items()} | {"of tomorrow": 1}
    return value


@given(tables)
def test_keys_of_newer_writers_are_ignored(table: StreamTable) -> None:
    newer = _with_more_keys(json.loads(definition_to_json(table)))
    assert definition_from_json(json.dumps(newer)) == table


@given(frontiers)
def test_keys_beside_a_frontier_are_ignored(frontier: Frontier) -> None:
    values = json.loads(frontier_to_json(frontier)) | {"fingerprint": "f1", "sources": []}
    assert frontier_from_json(json.dumps(values)) == frontier


def test_keys_that_older_writers_left_out_have_defaults() -> None:
    frontier = frontier_from_json('{"number": 3, "positions": {}}')
    assert frontier == Frontier(number=3, positions={}, data_timestamp=None)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"number": 1, "positions": 2}'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a frontier"):
        frontier_from_json(text)
    with pytest.raises(ValueError, match="not a stream table's definition"):
        definition_from_json(text)


@given(frontiers)
def test_equal_values_give_equal_text_in_ascii(frontier: Frontier) -> None:
    backwards = dict(reversed(list(frontier.positions.items())))
    again = Frontier(frontier.number, backwards, frontier.data_timestamp)
    assert frontier_to_json(again) == frontier_to_json(frontier)
    assert frontier_to_json(frontier).isascii()


@given(moments, moments)
def test_moments_sort_as_their_texts(one: datetime, other: datetime) -> None:
    assert (one < other) == (moment_to_text(one) < moment_to_text(other))


def test_moments_are_kept_in_utc() -> None:
    there = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    assert moment_to_text(there) == "2025-12-31T23:00:00.000000+00:00"
    assert moment_from_text(moment_to_text(there)) == there
    with pytest.raises(ValueError, match="no time zone"):
        moment_to_text(datetime(2026, 1, 1))
