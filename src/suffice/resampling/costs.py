"""What acting costs: a number for each class that may be true and each action that may be taken."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidData, InvalidParameter, did_you_mean, shown
from ..holds import floats, label_array
from ..registry import registered
from ..typing import Floats, Labels

CostsLike = object  # None, a matrix, a mapping of mappings, a frame, or the path of a file


@registered("costs")
@dataclass(frozen=True, eq=False)
class Costs:
    """C_ca, the cost of action a where class c is true: costs (k, a) of classes (k,) and actions (a,).

    >>> print(Costs.of({"ill": {"treat": 1, "send home": 50}, "well": {"treat": 5, "send home": 0}}, ["ill", "well"]))
          treat  send home
    ill   1      50
    well  5      0
    """

    costs: Floats
    classes: Labels
    actions: Labels
    holds: ClassVar = {"costs": floats("k", "a"), "classes": label_array("k"), "actions": label_array("a")}

    @classmethod
    def of(
        cls, value: CostsLike, classes: Sequence[object] | Labels, actions: object = None, owner: str = "Costs"
    ) -> Costs:
        """The costs that a user means, for these classes; None is 1 for every error and 0 else."""
        names = list(np.asarray(classes).tolist())
        if isinstance(value, str | os.PathLike):
            value = read_costs(value, owner)
        if value is None:
            if actions is not None:
                raise InvalidParameter(f"{owner}: actions name the columns of costs; give costs, or leave actions out.")
            return cls(1.0 - np.eye(len(names)), _labels(names), _labels(names))
        if not isinstance(value, Mapping) and hasattr(value, "to_dict"):
            value = value.to_dict("index")  # of a frame: rows are classes, columns actions
        found = _of_mapping(value, names, owner) if isinstance(value, Mapping) else _of_matrix(value, names, owner)
        own = _names_of_actions(actions, found, names, owner)
        return cls(found.costs, _labels(names), _labels(own))

    def __str__(self) -> str:
        from ..text import aligned, figure

        cells = [[figure(value) for value in row] for row in self.costs]
        rows = [[str(name), *own] for name, own in zip(self.classes.tolist(), cells, strict=True)]
        return aligned([["", *map(str, self.actions.tolist())], *rows])


@dataclass(frozen=True)
class _Found:
    costs: Floats
    actions: list[object] | None


def _of_matrix(value: object, classes: list[object], owner: str) -> _Found:
    costs = _numbers(value, owner)
    if costs.ndim != 2 or len(costs) != len(classes) or not costs.shape[1]:
        raise InvalidParameter(
            f"{owner}: costs must have a row for each of the {len(classes)} classes {_some(classes)} and a column for "
            f"each action; got shape {costs.shape}."
        )
    return _Found(_checked(costs, classes, None, owner), None)


def _of_mapping(value: Mapping[object, object], classes: list[object], owner: str) -> _Found:
    """Costs by name; classes may stand as text, as files have them."""
    by_text = {str(key): own for key, own in value.items()}
    unknown = [key for key in by_text if key not in map(str, classes)]
    if unknown:
        raise InvalidParameter(
            f"{owner}: costs name the class {unknown[0]!r}, which y does not have; it has {_some(classes)}."
            f"{did_you_mean(unknown[0], [str(name) for name in classes])}"
        )
    missing = [name for name in classes if str(name) not in by_text]
    if missing:
        raise InvalidParameter(
            f"{owner}: costs say nothing of the class {missing[0]!r}; give it a cost for each action."
        )
    rows = [by_text[str(name)] for name in classes]
    if not all(isinstance(own, Mapping) and own for own in rows):
        raise InvalidParameter(
            f"{owner}: costs must give each class a mapping of actions to costs, such as "
            f"{{'ill': {{'treat': 1, 'wait': 50}}}}; got {shown(rows[0])}."
        )
    actions = list(dict.fromkeys(action for own in rows for action in own))  # type: ignore[attr-defined]
    for name, own in zip(classes, rows, strict=True):
        absent = [action for action in actions if action not in own]  # type: ignore[operator]
        if absent:
            raise InvalidParameter(
                f"{owner}: costs of the class {name!r} lack the action {absent[0]!r}; give it a cost."
            )
    matrix = [[own[action] for action in actions] for own in rows]  # type: ignore[index]
    return _Found(_checked(_numbers(matrix, owner), classes, actions, owner), actions)


def _numbers(value: object, owner: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{owner}: costs must be numbers; got {shown(value)}.") from None


def _checked(costs: Floats, classes: list[object], actions: list[object] | None, owner: str) -> Floats:
    bad = np.argwhere(~np.isfinite(costs) | (costs < 0))
    if len(bad):
        c, a = bad[0]
        action = repr(actions[a]) if actions else f"number {a}"
        raise InvalidParameter(
            f"{owner}: costs must be finite and at least 0; that of action {action} where {classes[c]!r} is true is "
            f"{costs[c, a]:g}. A gain is a cost of 0 beside larger costs of all others: add one number to all."
        )
    return costs


def _names_of_actions(actions: object, found: _Found, classes: list[object], owner: str) -> list[object]:
    width = found.costs.shape[1]
    if actions is None:
        if found.actions is not None:
            by_text = {str(name): name for name in classes}
            same = all(str(action) in by_text for action in found.actions)
            return [by_text[str(action)] for action in found.actions] if same else list(found.actions)
        if width == len(classes):
            return list(classes)
        raise InvalidParameter(
            f"{owner}: costs have {width} columns beside {len(classes)} classes; name the actions by actions=[…]."
        )
    own = np.asarray(actions).tolist() if isinstance(actions, list | tuple | np.ndarray) else []
    if (
        not all(isinstance(name, str | int | float) for name in own)
        or len(own) != width
        or len(set(map(str, own))) != width
    ):
        raise InvalidParameter(f"{owner}: actions must be {width} different names, one a column; got {shown(actions)}.")
    return own


def read_costs(path: str | os.PathLike[str], owner: str = "read_costs") -> dict[object, dict[object, float]]:
    """Costs from a file: CSV (a line a class, its name first, a column an action), JSON or YAML (nested mappings)."""
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as error:
        raise InvalidData(f"{owner}: costs cannot be read from {name!r}: {error.strerror}.") from None
    if name.lower().endswith((".yaml", ".yml")):
        return _nested(_yaml(text, name, owner), name, owner)
    if name.lower().endswith(".json"):
        try:
            return _nested(json.loads(text), name, owner)
        except json.JSONDecodeError as error:
            raise InvalidData(f"{owner}: {name!r} is no JSON: {error.msg} in line {error.lineno}.") from None
    return _csv(text, name, owner)


def _yaml(text: str, name: str, owner: str) -> object:
    from ..errors import needed

    yaml = needed("yaml", "yaml", "pyyaml")
    try:
        found: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidData(f"{owner}: {name!r} is no YAML: {' '.join(str(error).split())}.") from None
    return found


def _nested(value: object, name: str, owner: str) -> dict[object, dict[object, float]]:
    if not isinstance(value, Mapping) or not all(isinstance(own, Mapping) for own in value.values()):
        raise InvalidData(f"{owner}: {name!r} must map each class to a mapping of actions to costs.")
    return {key: dict(own) for key, own in value.items()}


def _csv(text: str, name: str, owner: str) -> dict[object, dict[object, float]]:
    import csv

    lines = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if len(lines) < 2 or any(len(row) != len(lines[0]) for row in lines):
        raise InvalidData(
            f"{owner}: {name!r} must have a first line of actions and a line for each class, its name first, all with "
            "equally many cells."
        )
    actions = [cell.strip() for cell in lines[0][1:]]
    found: dict[object, dict[object, float]] = {}
    for number, row in enumerate(lines[1:], 2):
        try:
            found[row[0].strip()] = dict(zip(actions, map(float, row[1:]), strict=True))
        except ValueError:
            bad = next(cell for cell in row[1:] if not _is_number(cell))
            raise InvalidData(f"{owner}: {name!r}, line {number}: costs must be numbers; got {bad!r}.") from None
    return found


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _labels(names: Sequence[object]) -> Labels:
    kinds = {type(name) for name in names}
    return np.asarray(names) if len(kinds) == 1 else np.asarray(names, dtype=object)


def _some(names: list[object]) -> str:
    return ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
