"""Nexmark as tables: people, their auctions, the bids for these, and rounds in which all three change.

A part of the events come in later rounds: the last ones in their order, others long after their time.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from helpers.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = datetime.datetime(2026, 3, 1, 7, 58, tzinfo=datetime.timezone.utc)
SECONDS = 240
FIRST_ID = 1000
# Of 50 events one is a person, three are auctions, the rest are bids.
PERSON, AUCTION = 1, 3
CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
CITIES = ("Phoenix", "Los Angeles", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Cheyenne")
NAMES = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter")
TABLES = ("person", "auction", "bid")

Record = dict[str, Any]


def generate(folder: Path, event_count: int, round_count: int) -> Workload:
    """Make the tables, and those with what comes later; the same for the same numbers."""
    rng = Random(20_260_301)
    tables: dict[str, list[Record]] = defaultdict(list)
    for number in range(event_count):
        table, record = _event(rng, number, event_count)
        batch = _batch(rng, number / event_count, round_count)
        if batch is None:
            tables[table].append(record)
        else:
            if table == "bid":
                record["arrived"] = START + datetime.timedelta(seconds=SECONDS + 7 * batch)
            tables[f"late_{table}"].append({**record, "batch": batch})
    keys = range(FIRST_ID, FIRST_ID + event_count // 20)
    tables["side_input"] = [{"key": key, "value": f"side {key}"} for key in keys]
    for table, records in tables.items():
        pq.write_table(pa.Table.from_pylist(records), folder / f"{table}.parquet")
    columns = {table: ", ".join(tables[table][0]) for table in TABLES}
    rounds = tuple(tuple(_round(number, columns)) for number in range(round_count))
    return Workload("nexmark", folder, tuple(tables), (), (*rounds, *_edges(columns["bid"])))


def _edges(columns: str) -> Iterator[tuple[str, ...]]:
    """The last rounds: no news, news of one table alone, all bids gone, some of them back."""
    yield ()
    yield ("UPDATE person SET state = 'CA', city = 'Bend' WHERE id % 2 = 0",)
    yield ("UPDATE auction SET seller = seller + 1, category = 10 WHERE id % 3 = 0",)
    yield ("DELETE FROM bid",)
    yield (f"INSERT INTO bid SELECT {columns} FROM late_bid",)


def _event(rng: Random, number: int, event_count: int) -> tuple[str, Record]:
    turn, place = divmod(number, 50)
    time = START + datetime.timedelta(milliseconds=number * SECONDS * 1000 // event_count)
    extra = "".join(rng.choices("abcdefgh", k=rng.randint(2, 12)))
    if place < PERSON:
        return "person", _person(rng, FIRST_ID + turn, time, extra)
    if place < PERSON + AUCTION:
        return "auction", _auction(rng, turn, place - PERSON, time, extra)
    return "bid", _bid(rng, turn, time, extra)


def _person(rng: Random, key: int, time: datetime.datetime, extra: str) -> Record:
    name = rng.choice(NAMES)
    return {
        "id": key,
        "name": name,
        "email_address": f"{name.lower()}@nexmark.example",
        "credit_card": f"{rng.randrange(10**16):016}",
        "city": rng.choice(CITIES),
        "state": rng.choice(STATES),
        "date_time": time,
        "extra": extra,
    }


def _auction(rng: Random, turn: int, place: int, time: datetime.datetime, extra: str) -> Record:
    key = FIRST_ID + turn * AUCTION + place
    initial = _price(rng)
    return {
        "id": key,
        "item_name": f"item {key}",
        "description": extra[::-1],
        "initial_bid": initial,
        "reserve": initial + _price(rng),
        "date_time": time,
        "expires": time + datetime.timedelta(seconds=rng.randint(2, 60)),
        "seller": _recent(rng, turn),
        "category": rng.randint(10, 14),
        "extra": extra,
    }


def _bid(rng: Random, turn: int, time: datetime.datetime, extra: str) -> Record:
    newest = (turn + 1) * AUCTION - 1
    auction = newest // 10 * 10 if rng.random() < 0.5 else rng.randint(max(0, newest - 40), newest)
    number = rng.randrange(40)
    is_hot = number < len(CHANNELS) or rng.random() < 0.5
    channel = rng.choice(CHANNELS) if is_hot else f"channel-{number}"
    path = "/".join(rng.choice(("abc", "de", "xyz")) for _ in range(3))
    return {
        "auction": FIRST_ID + auction,
        "bidder": _recent(rng, turn),
        "price": _price(rng),
        "channel": channel,
        "url": f"https://www.nexmark.example/{path}/item.htm?query=1"
        + ("" if is_hot else f"&channel_id={number}"),
        "date_time": time,
        "arrived": time,
        "extra": extra,
    }


def _recent(rng: Random, turn: int) -> int:
    """A person: half of the time the one whose turn it is, else one of those before."""
    return FIRST_ID + (turn if rng.random() < 0.5 else rng.randint(max(0, turn - 12), turn))


def _price(rng: Random) -> int:
    return round(10 ** (rng.random() * 6) * 100)


def _batch(rng: Random, share: float, count: int) -> int | None:
    """The round in which an event comes; None if it is there from the start."""
    if share > 0.7:
        return min(count - 1, int((share - 0.7) / 0.3 * count))
    return rng.randrange(count) if rng.random() < 0.1 else None


def _round(number: int, columns: dict[str, str]) -> Iterator[str]:
    """What comes, in and out of its order; corrections; what turns out never to have been."""
    for table, names in columns.items():
        yield f"INSERT INTO {table} SELECT {names} FROM late_{table} WHERE batch = {number}"
    yield f"UPDATE bid SET price = price * 2 + {number} WHERE (auction + bidder) % 13 = {number % 13}"
    yield f"UPDATE bid SET channel = 'Apple' WHERE bidder % 17 = {number % 17}"
    # No two bids have the same time: half a millisecond more keeps it so.
    back = "INTERVAL '15.0005' SECOND"
    yield f"UPDATE bid SET date_time = date_time - {back} WHERE auction % 19 = {number % 19}"
    yield f"DELETE FROM bid WHERE (auction * 7 + bidder) % 29 = {number % 29}"
    category = "category = 10 + (category - 9) % 5"
    yield f"UPDATE auction SET {category} WHERE id % 11 = {number % 11}"
    yield f"UPDATE auction SET expires = expires + INTERVAL '20' SECOND WHERE id % 9 = {number % 9}"
    yield f"DELETE FROM auction WHERE id % 31 = {number % 31}"
    yield f"UPDATE person SET state = 'OR', name = 'Ann {number}' WHERE id % 7 = {number % 7}"
    yield f"DELETE FROM person WHERE id % 23 = {number % 23}"
    yield f"UPDATE side_input SET value = 'round {number}' WHERE key % 10 = {number % 10}"
