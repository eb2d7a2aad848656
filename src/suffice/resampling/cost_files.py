"""Costs as they stand in files, CSV, JSON or YAML: each class with its actions and what they cost, not yet checked."""

from __future__ import annotations

import csv
import json
import os
import re

from ..data.csv_head import small_table
from ..errors import InvalidData, needed

Pairs = list[tuple[object, list[tuple[object, object]]]]  # of each class its actions with their costs, as written
_LARGEST = 1 << 20  # bytes
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class _Mapping(list[tuple[str, object]]):
    """What stands between braces: names may come twice there, which no dictionary would tell."""


def read_costs(path: str | os.PathLike[str], owner: str = "read_costs") -> Pairs:
    """Costs from a file: CSV (a line a class, its name first, a column an action), JSON or YAML (nested mappings)."""
    name = os.fspath(path)
    text = _text(name, owner)
    if name.lower().endswith((".yaml", ".yml")):
        return _nested(_yaml(text, name, owner), name, owner)
    if name.lower().endswith(".json"):
        return _nested(_json(text, name, owner), name, owner)
    return _table(text, name, owner)


def _text(name: str, owner: str) -> str:
    try:
        with open(name, "rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise InvalidData(f"{owner}: costs cannot be read from {name!r}: {error.strerror}.") from None
    if len(raw) > _LARGEST:
        raise InvalidData(f"{owner}: {name!r} is larger than 1 MB; a file of costs has a line for each class.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeError:
        raise InvalidData(
            f"{owner}: {name!r} is not written in UTF-8; save it so, or as a CSV of plain text."
        ) from None


def _json(text: str, name: str, owner: str) -> object:
    try:
        found: object = json.loads(text, object_pairs_hook=_Mapping)
    except json.JSONDecodeError as error:
        raise InvalidData(f"{owner}: {name!r} is no JSON: {error.msg} in line {error.lineno}.") from None
    except RecursionError:
        found = None
    return found


def _yaml(text: str, name: str, owner: str) -> object:
    """What the file says, names and numbers as they are written: `no` is a name and not False."""
    yaml = needed("yaml", "yaml", "pyyaml")
    try:
        top = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise InvalidData(f"{owner}: {name!r} is no YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        return None
    return _of_node(top, 2)


def _of_node(node: object, depth: int) -> object:
    """Mappings in so many levels, and texts within; None for all else."""
    pairs = getattr(node, "value", None)
    if isinstance(pairs, str):
        return pairs
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs) or not depth:
        return None
    return _Mapping((key.value, _of_node(value, depth - 1)) for key, value in pairs if isinstance(key.value, str))


def _nested(value: object, name: str, owner: str) -> Pairs:
    entries = value if isinstance(value, _Mapping) else [("", None)]
    rows = [(key, own) for key, own in entries if isinstance(own, _Mapping)]
    if len(rows) < len(entries):
        raise InvalidData(f"{owner}: {name!r} must map each class to a mapping of actions to costs.")
    return [(key, [(action, _number(cost, False)) for action, cost in own]) for key, own in rows]


def _table(text: str, name: str, owner: str) -> Pairs:
    """A line a class; spaces around names do not matter."""
    try:
        delimiter, lines = small_table(text, "\t" if name.lower().endswith(".tsv") else ",")
    except csv.Error:
        lines = []
    if len(lines) < 2 or len(lines[0]) < 2 or any(len(row) != len(lines[0]) for row in lines):
        raise InvalidData(
            f"{owner}: {name!r} must have a first line of actions and a line for each class, its name first, all with "
            "equally many cells."
        )
    actions = [cell.strip() for cell in lines[0][1:]]
    if not all(actions):
        raise InvalidData(f"{owner}: the first line of {name!r} has no name for action {actions.index('') + 1}.")
    return [
        (
            row[0].strip(),
            [(action, _number(cell, delimiter != ",")) for action, cell in zip(actions, row[1:], strict=True)],
        )
        for row in lines[1:]
    ]


def _number(cell: object, commas: bool) -> object:
    """A cell as a number, with a decimal comma where that is allowed; anything else as it is."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    text = text.replace(",", ".") if commas and _DECIMAL_COMMA.fullmatch(text) else text
    try:
        return float(text)
    except ValueError:
        return cell
