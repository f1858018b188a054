"""Deletion vectors as Delta Lake stores them, without a JVM: sets of row numbers as bytes, and bytes as text.

    array    magic (i32), bitmaps (i64), then of each its key (i32), the upper half of its numbers, and its bitmap
    bitmap   cookie, containers, their keys (u16) and sizes less one (u16), mostly their places, then themselves
    container, of the lower 16 bits    up to 4,096 numbers as u16, or 8 KB of bits, or runs: first and length less one

All is little-endian. The bitmaps are those of the Roaring specification; within a log they are written in base 85, by
the signs of Z85. What is read may hold runs; what is written here does not.
"""

from __future__ import annotations

import struct
from base64 import b85decode, b85encode
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Numbers: TypeAlias = NDArray[np.int64]
"""Row numbers, each once; they ascend."""
NONE: Numbers = np.empty(0, np.int64)

_MAGIC, _PLAIN, _WITH_RUNS = 1681511377, 12346, 12347
# Containers of more numbers are bits; bitmaps with runs and fewer containers do not tell their places.
_MOST_LISTED, _FEW = 4096, 4
_B85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_TO_Z85, _FROM_Z85 = bytes.maketrans(_B85, _Z85), bytes.maketrans(_Z85, _B85)
_UUID_SIGNS = 20


class NotReadable(ValueError):
    """Bytes that are no deletion vector of a kind that is known here."""


def ascending(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each different number once, in order; of a million `np.unique` takes a second."""
    found = np.sort(numbers, kind="stable")
    once: NDArray[Any] = found[np.diff(found, prepend=found[:1] - 1) != 0]
    return once


def are_among(numbers: Numbers, others: Numbers) -> NDArray[np.bool_]:
    """Which numbers are among others; both ascend."""
    places = np.searchsorted(others, numbers)
    found = places < len(others)
    found[found] = others[places[found]] == numbers[found]
    return found


def encoded(numbers: Numbers) -> bytes:
    """Row numbers, which ascend, as bytes."""
    keys = numbers >> 32
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    parts = [struct.pack("<iq", _MAGIC, len(begins))]
    for key, part in zip(keys[begins].tolist(), np.split(numbers, begins[1:]), strict=False):
        parts += [struct.pack("<i", key), _bitmap(part & 0xFFFFFFFF)]
    return b"".join(parts)


def decoded(content: bytes) -> Numbers:
    """The row numbers that bytes hold; they ascend."""
    try:
        magic, count = struct.unpack_from("<iq", content)
        if magic != _MAGIC:
            raise NotReadable(f"a deletion vector begins with {magic}")
        found, at = [NONE], 12
        for _ in range(count):
            (key,) = struct.unpack_from("<i", content, at)
            parts, at = _read_bitmap(content, at + 4)
            found += ((key << 32) + part for part in parts)
    except NotReadable:
        raise
    except (struct.error, ValueError) as error:
        raise NotReadable("a deletion vector ends too soon") from error
    return np.concatenate(found)


def inline(text: str, size: int) -> bytes:
    """The bytes of a vector that the log itself holds."""
    return b85decode(text.encode("ascii").translate(_FROM_Z85))[:size]


def as_text(content: bytes) -> str:
    """Bytes as the log holds them."""
    padded = content + bytes(-len(content) % 4)
    return b85encode(padded).translate(_TO_Z85).decode("ascii")


def stored(number: UUID, content: bytes) -> tuple[str, bytes]:
    """The name and the bytes of a file that holds one vector: a sign of its kind, its size, itself and its sum."""
    parts = struct.pack(">Bi", 1, len(content)), content, struct.pack(">I", crc32(content))
    return f"deletion_vector_{number}.bin", b"".join(parts)


def in_folder(vector: Mapping[str, str], folder: Path) -> bytes:
    """The bytes of a vector that lies in a file beside the table's own."""
    name = vector["pathOrInlineDv"]
    prefix, signs = name[:-_UUID_SIGNS], name[-_UUID_SIGNS:].encode("ascii")
    number = UUID(bytes=b85decode(signs.translate(_FROM_Z85)))
    with (folder / prefix / f"deletion_vector_{number}.bin").open("rb") as file:
        file.seek(int(vector.get("offset") or 0))
        (size,) = struct.unpack(">i", file.read(4))
        if size != int(vector["sizeInBytes"]):
            raise NotReadable(f"a deletion vector has {size} bytes")
        return file.read(size)


def _bitmap(numbers: Numbers) -> bytes:
    """Ascending numbers of 32 bits."""
    keys, lower = numbers >> 16, numbers & 0xFFFF
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    sizes = np.diff(begins, append=len(numbers))
    is_listed = sizes <= _MOST_LISTED
    lengths = np.where(is_listed, 2 * sizes, 8192)
    heads = np.stack([keys[begins], sizes - 1], axis=1).astype("<u2")
    places = (8 + 8 * len(sizes) + np.cumsum(lengths) - lengths).astype("<u4")
    parts = [lower] if is_listed.all() else np.split(lower, begins[1:])
    bodies = (
        _container(part, is_listed=bool(few)) for part, few in zip(parts, is_listed, strict=False)
    )
    head = struct.pack("<II", _PLAIN, len(sizes)), heads.tobytes(), places.tobytes()
    return b"".join([*head, *bodies])


def _container(lower: Numbers, *, is_listed: bool) -> bytes:
    if is_listed:
        return lower.astype("<u2").tobytes()
    bits = np.zeros(1 << 16, np.bool_)
    bits[lower] = True
    return np.packbits(bits, bitorder="little").tobytes()


def _read_bitmap(content: bytes, at: int) -> tuple[list[Numbers], int]:
    """The numbers of a bitmap from a place on, and where it ends."""
    (cookie,) = struct.unpack_from("<I", content, at)
    if cookie == _PLAIN:
        (count,) = struct.unpack_from("<I", content, at + 4)
        flags, at = b"", at + 8
    elif cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        flags = content[at + 4 : at + 4 + (count + 7) // 8]
        at += 4 + len(flags)
    else:
        raise NotReadable(f"a bitmap begins with {cookie}")
    heads = struct.unpack_from(f"<{2 * count}H", content, at)
    at += 4 * count + (4 * count if not flags or count >= _FEW else 0)
    keys, sizes = np.array(heads, np.int64).reshape(-1, 2).T
    sizes = sizes + 1
    if not flags and (sizes <= _MOST_LISTED).all():
        listed = _listed(content, at, int(sizes.sum()))
        return [np.repeat(keys << 16, sizes) + listed], at + 2 * len(listed)
    found = []
    for i in range(count):
        has_runs = bool(flags) and bool(flags[i >> 3] >> (i & 7) & 1)
        part, at = _read_container(content, at, None if has_runs else int(sizes[i]))
        found.append((keys[i] << 16) + part)
    return found, at


def _read_container(content: bytes, at: int, size: int | None) -> tuple[Numbers, int]:
    """The numbers of a container, of runs where its size is not told, and where it ends."""
    if size is None:
        (runs,) = struct.unpack_from("<H", content, at)
        ends = _listed(content, at + 2, 2 * runs)
        spans = [np.arange(first, first + more + 1) for first, more in ends.reshape(-1, 2)]
        return np.concatenate([NONE, *spans]), at + 2 + 4 * runs
    if size <= _MOST_LISTED:
        return _listed(content, at, size), at + 2 * size
    bits = np.frombuffer(content, np.uint8, 8192, at)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")), at + 8192


def _listed(content: bytes, at: int, count: int) -> Numbers:
    if not count:  # NumPy takes none at the end for a fault
        return NONE
    return np.frombuffer(content, "<u2", count, at).astype(np.int64)
