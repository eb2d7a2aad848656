"""Results as JSON that every reader takes: no NaN, no infinity, no types of NumPy's."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import click


def echo_json(value: object) -> None:
    """Write a value to standard output as JSON."""
    click.echo(as_json(value, indent=2))


def as_json(value: object, indent: int | None = None) -> str:
    """A value as JSON; what is not known or not finite is null.

    >>> as_json({"score": float("nan"), "of": (1, True, None)})
    '{"score": null, "of": [1, true, null]}'
    """
    return json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    if hasattr(value, "tolist"):  # an array or a number of NumPy's
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
