"""Damage to model files: to their bytes, to their document, to their arrays."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from suffice import registry
from suffice.contracts.model_files import changes, npy, pack

Members = dict[str, bytes]
_ODD = (
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, 10**30, 1.5, -0.0, 1e308, "", "nan", "KMeans", "\ud7ff", [], {}, [[]],
    {"$": "tuple", "items": []}, {"$": "dict", "items": []}, {"$": "float", "value": "nan"},
    {"$": "float", "value": "inf"}, {"$": "array", "at": "arrays/0.npy"}, {"$": "scalar", "at": "arrays/0.npy"},
    {"$": "dtype", "value": "<f8"}, {"$": "objects", "shape": [1], "items": [None]},
    {"$": "object", "class": "distance/Euclidean", "state": {}},
)  # fmt: skip
_KEYS = ("$", "at", "class", "items", "extra", "_members", "predict", "__class__")


def of_bytes(rng: random.Random, members: Members, path: Path) -> None:
    """Bytes of the whole file changed, left out or put in."""
    pack(members, path)
    path.write_bytes(_bent(rng, path.read_bytes()))


def of_a_member(rng: random.Random, members: Members, path: Path) -> None:
    """Bytes of one member changed, its checksum right."""
    name = rng.choice(list(members))
    pack({**members, name: _bent(rng, members[name])}, path)


def of_the_document(rng: random.Random, members: Members, path: Path) -> None:
    """Nodes of the document exchanged, removed or replaced."""
    document = json.loads(members["model.json"])
    for _ in range(rng.choice((1, 1, 2, 5))):
        _edit(rng, document)
    pack({**members, "model.json": json.dumps(document).encode("utf-8", "surrogatepass")}, path)


def of_arrays(rng: random.Random, members: Members, path: Path) -> None:
    """Some arrays changed, or exchanged."""
    names = [name for name in members if name != "model.json"]
    changed = dict(members)
    for _ in range(rng.choice((1, 1, 2, 3)) if names else 0):
        name = rng.choice(names)
        if rng.random() < 0.3:
            changed[name] = members[rng.choice(names)]
        else:
            array = np.load(io.BytesIO(members[name]))
            changed[name] = npy(rng.choice([array for _, array in changes(array)] + further(array)))
    pack(changed, path)


def further(array: Any) -> list[Any]:
    """An array of the same cells in another order or type, or with all places moved on."""
    found = [array.astype(array.dtype.newbyteorder(">")), np.asfortranarray(array), np.tile(array.reshape(-1), 2)]
    with np.errstate(all="ignore"):
        if array.dtype.kind in "iu":
            info = np.iinfo(array.dtype)
            found += [array + 1, array * 2, array.view(array.dtype.str.replace("i", "u")), array.astype(np.float64)]
            found += [np.full_like(array, cell) for cell in (info.min, info.max, 2**31 % info.max)]
        elif array.dtype.kind == "f":
            found += [array.astype(np.int64), np.full_like(array, np.nan), array.astype(np.complex128)]
    return found


def of_cells(rng: random.Random, members: Members, path: Path) -> None:
    """Some cells of an array changed, mostly to what others of its cells are."""
    names = [name for name in members if name != "model.json"]
    if not names:
        return of_the_document(rng, members, path)
    name = rng.choice(names)
    array = np.load(io.BytesIO(members[name])).copy()
    for _ in range(rng.choice((1, 1, 3, array.size)) if array.size else 0):
        at = rng.randrange(array.size)
        array.flat[at] = _cell(rng, array, at)
    return pack({**members, name: npy(array)}, path)


def _cell(rng: random.Random, array: Any, at: int) -> Any:
    if array.dtype.kind == "f":
        return rng.choice((0.0, -1.0, 1e-300, 1e30, rng.gauss(0, 1), array.flat[rng.randrange(array.size)]))
    if array.dtype.kind == "i":
        return rng.choice((0, -1, rng.randrange(60), array.flat[rng.randrange(array.size)], array.flat[at] + 1))
    return array.flat[rng.randrange(array.size)]


KINDS: tuple[Callable[[random.Random, Members, Path], None], ...] = (
    of_bytes,
    of_a_member,
    of_the_document,
    of_arrays,
    of_cells,
)


def _bent(rng: random.Random, content: bytes) -> bytes:
    bent, at = bytearray(content), rng.randrange(len(content) + 1)
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(bent[:at])
    if kind == 1:
        bent[at:at] = rng.randbytes(rng.randrange(1, 9))
    elif kind == 2:
        del bent[at : at + rng.randrange(1, 64)]
    else:
        for _ in range(rng.choice((1, 1, 1, 8))):
            bent[rng.randrange(len(bent))] = rng.choice((0, 1, 255, rng.randrange(256)))
    return bytes(bent)


def _edit(rng: random.Random, document: Any) -> None:
    places = list(_places(document))
    holder, key = rng.choice(places)
    kind = rng.randrange(6)
    if key == "class" and kind < 4:
        holder[key] = rng.choice(list(registry.all_registered()))
    elif kind == 0:
        del holder[key]
    elif kind == 1:
        other, there = rng.choice(places)
        holder[key] = json.loads(json.dumps(other[there])) if there in _keys(other) else None
    elif kind == 2 and isinstance(holder, dict):
        holder[rng.choice(_KEYS)] = _odd(rng)
    elif kind == 3 and isinstance(holder[key], int | float):
        holder[key] = rng.choice((-holder[key], holder[key] * 2 + 1, holder[key] + 0.5))
    else:
        holder[key] = _odd(rng)


def _odd(rng: random.Random) -> Any:
    """A copy, which later edits may change."""
    return json.loads(json.dumps(rng.choice(_ODD)))


def _keys(holder: Any) -> Any:
    return holder.keys() if isinstance(holder, dict) else range(len(holder))


def _places(node: Any) -> Any:
    for key in _keys(node):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from _places(node[key])
