"""The range of a parameter for which none is given: what its declaration allows, about its default."""

from __future__ import annotations

import math
from dataclasses import fields

from ...errors import InvalidParameter
from ...params import Rule, as_float, declared, plain_number
from ...typing import EstimatorLike
from .dimensions import Between, Dimension, Listed

_INSIDE = 0.01  # as far from an end that is not allowed, as a share of the range
_LARGE, _SMALL = 1000.0, 8  # how far numbers, and whole numbers, go from their default


def range_of(name: str, model: EstimatorLike, owner: str = "search") -> Dimension:
    """Values or a range that suit a parameter, by what its declaration allows and by its default.

    Words and flags are all tried. A number with two ends lies between them, else up to a thousand times its default and
    down to a thousandth, on a logarithmic scale; a whole number up to eight times its default and down to an eighth.

    >>> from suffice import Ridge, LinearDiscriminantAnalysis
    >>> range_of("alpha", Ridge())
    Between(low=0.001, high=1000.0, log=True)
    >>> range_of("shrinkage", LinearDiscriminantAnalysis())
    Between(low=0.0, high=1.0, log=False)
    """
    before, _, own = name.rpartition("__")
    holder = model.get_params()[before] if before else model
    rule = declared(type(holder)).get(own) if hasattr(type(holder), "__dataclass_fields__") else None
    found = None if rule is None else _range(rule, _default(holder, own))
    if found is None:
        raise InvalidParameter(
            f"{owner}: nothing says what {name} of {type(model).__name__} is to be tried with; give a list of values, "
            f"or Between(low, high), such as {{{name!r}: Between(1, 100)}}."
        )
    return found


def _default(holder: object, name: str) -> object:
    return next(field.default for field in fields(holder) if field.name == name)  # type: ignore[arg-type]


def _range(rule: Rule, default: object) -> Dimension | None:
    """None where the declaration says too little."""
    if rule.integer or rule.number:
        return _numbers(rule, plain_number(default))
    words = [word for word in rule.words if word is not None]
    flags = {True, False} <= {word for word in words if isinstance(word, bool)}
    if flags:
        return Listed((False, True))
    return Listed(tuple(words)) if len(words) > 1 else None


def _numbers(rule: Rule, default: float | None) -> Between | None:
    low = rule.at_least if rule.above is None else rule.above
    high = rule.at_most if rule.below is None else rule.below
    high = None if high is not None and (math.isinf(high) or high >= 1e6) else high
    if rule.integer and not rule.number:
        return _whole(1 if low is None else low, high, default)
    if low is not None and high is not None:
        inset = _INSIDE * (high - low)
        start = low + inset if rule.above is not None else low
        return Between(float(start), float(high - inset if rule.below is not None else high))
    if low is not None and low >= 0:
        middle = default if default is not None and default > low else 1.0
        return Between(float(max(middle / _LARGE, low)), float(middle * _LARGE), log=True)
    if default:
        first, last = sorted((as_float(default) / 10, as_float(default) * 10))
        return Between(first, last, log=first > 0)
    return None


def _whole(low: float, high: float | None, default: float | None) -> Between | None:
    middle = default if default is not None and default > 0 else max(low, 1) * _SMALL
    first = max(math.ceil(low), 1 if middle >= 1 else 0, math.floor(middle / _SMALL))
    last = min(math.ceil(middle * _SMALL), math.inf if high is None else math.floor(high))
    return Between(int(first), int(last), log=first > 0 and last >= 8 * first) if first < last else None
