"""What is checked in every family before its own code runs: rows, weights and groups from outside, and the support."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.rows import as_groups, as_weight
from ..errors import NoClosedForm
from ..typing import Flags, Floats, Numbers

if TYPE_CHECKING:
    from .base import Distribution

Method = Callable[..., Any]


def check_entries(cls: type[Distribution], one_by_one: bool) -> None:
    """Put the checks before the methods that a class defines; `one_by_one`: it has no `log_probs` of its own."""
    own = vars(cls)
    methods: dict[str, object] = {}
    if "log_probs" in own and not cls.composed:
        methods["log_probs"] = staticmethod(_many_in_support(own["log_probs"].__func__))
    if "log_prob" in own:
        checked = _of_rows_in_support if one_by_one and not cls.composed else _of_rows
        methods["log_prob"] = checked(own["log_prob"])
    methods |= {name: checked(own[name]) for name, checked in _ENTRIES.items() if name in own}
    for name, method in methods.items():
        setattr(cls, name, method)


def _of_rows(method: Method) -> Method:
    @wraps(method)
    def checked(self: Distribution, X: Numbers) -> object:
        return method(self, self._table(X))

    return checked


def _of_rows_in_support(method: Method) -> Method:
    @wraps(method)
    def checked(self: Distribution, X: Numbers) -> object:
        X = self._table(X)
        return _filled(self.outside(X), lambda inside: method(self, inside), X, ())

    return checked


def _many_in_support(log_probs: Method) -> Method:
    @wraps(log_probs)
    def checked(parts: Sequence[Distribution], X: Numbers) -> object:
        return _filled(parts[0].outside(X), lambda inside: log_probs(parts, inside), X, (len(parts),))

    return checked


def _filled(outside: Flags, log_density: Callable[[Numbers], Floats], X: Numbers, width: tuple[int, ...]) -> Floats:
    """The log densities of the rows in the support; −∞ for the others, which the formula never sees."""
    if not outside.any():
        return log_density(X)
    found = np.full((X.shape[0], *width), -np.inf)
    found[~outside] = log_density(X[~outside])
    return found


def _of_weighted_rows(method: Method) -> Method:
    @wraps(method)
    def checked(
        self: Distribution, X: Numbers, weight: Numbers | None = None, *more: object, **named: object
    ) -> object:
        X = self._table(X)
        return method(self, X, as_weight(weight, X.shape[0], type(self).__name__), *more, **named)

    return checked


def _of_grouped_rows(method: Method) -> Method:
    @wraps(method)
    def checked(self: Distribution, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None) -> object:
        X, owner = self._table(X), type(self).__name__
        codes = as_groups(group, X.shape[0], groups, owner)
        return method(self, X, codes, groups, as_weight(weight, X.shape[0], owner))

    return checked


def _of_another(method: Method) -> Method:
    @wraps(method)
    def checked(self: Distribution, other: object) -> object:
        owner = next(base for base in type(self).__mro__ if "kl" in vars(base))
        if not isinstance(other, owner):
            raise NoClosedForm(
                f"{type(self).__name__}: there is a formula for KL within one family only; got {type(other).__name__}. "
                "Use suffice.distributions.kl, which draws rows where there is none."
            )
        return method(self, other)

    return checked


_ENTRIES = {
    "given": _of_rows,
    "kl": _of_another,
    "latents": _of_rows,
    "log_joint": _of_rows,
    "posterior_of": _of_rows,
    "statistic": _of_weighted_rows,
    "begin": _of_weighted_rows,
    "grouped_statistics": _of_grouped_rows,
}
