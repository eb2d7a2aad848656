"""Categories that the user lists, one list a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data import Schema
from ...data.rows import is_gap
from ...data.schema import Column
from ...errors import InvalidParameter
from ...params import plain_number
from ...typing import Floats, Whole


def is_list(value: object) -> bool:
    """Whether a value is a list, tuple or array of one dimension."""
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)


def are_lists(value: object) -> bool:
    """Whether a value is a list of lists, or an array of two dimensions; an empty list encodes nothing."""
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return value.size > 0
    return is_list(value) and len(value) > 0 and all(map(is_list, value))  # type: ignore[arg-type, call-overload]


def with_categories(
    schema: Schema, chosen: Whole, lists: Sequence[object], owner: str
) -> tuple[Schema, tuple[Floats, ...]]:
    """A schema that knows the categories of a list for each chosen column as well, and their numbers in their order."""
    if len(lists) != len(chosen):
        raise InvalidParameter(
            f"{owner}: categories must have one list for each of the {len(chosen)} encoded columns; got {len(lists)}."
        )
    columns, codes = list(schema.columns), []
    for j, given in zip(chosen.tolist(), lists, strict=True):
        place = f"{owner}: categories of {schema.describe(j)}"
        labels = np.asarray(given, dtype=object).tolist()
        columns[j], own = (
            _text(columns[j], labels, place)
            if columns[j].kind == "categorical"
            else (
                columns[j],
                _numbers(labels, place),
            )
        )
        if len(np.unique(own)) < len(own):
            raise InvalidParameter(f"{place} must all be different; got {labels!r:.200}.")
        codes.append(own)
    return Schema(tuple(columns), schema.named), tuple(codes)


def _text(column: Column, labels: list[object], place: str) -> tuple[Column, Floats]:
    """A column of text that knows these categories too, behind those it has, and their numbers."""
    wrong = next((label for label in labels if not isinstance(label, str) and not is_gap(label)), None)
    if wrong is not None:
        raise InvalidParameter(f"{place}, which holds text, must be text; got {wrong!r:.80}.")
    named = [str(label) for label in labels if not is_gap(label)]
    known = (*column.categories, *dict.fromkeys(name for name in named if name not in column.categories))
    number = {name: float(i) for i, name in enumerate(known)}
    codes = np.array([np.nan if is_gap(label) else number[str(label)] for label in labels])
    return replace(column, categories=known), codes


def _numbers(labels: list[object], place: str) -> Floats:
    numbers = [float("nan") if is_gap(label) else _number(label) for label in labels]
    wrong = next((label for label, number in zip(labels, numbers, strict=True) if number is None), None)
    if wrong is not None:
        raise InvalidParameter(f"{place}, which holds numbers, must be finite numbers; got {wrong!r:.80}.")
    return np.array(numbers, dtype=np.float64)


def _number(label: object) -> float | None:
    number = int(label) if isinstance(label, bool | np.bool_) else plain_number(label)
    return float(number) if number is not None and abs(number) <= np.finfo(np.float64).max else None
