"""Hyperparameters by name, nested as kernels are: scikit-learn's protocol, and the logarithms that gradients are in."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import ClassVar, Self

import numpy as np

from ..errors import InvalidParameter, did_you_mean
from ..typing import Floats


class Parametric:
    """Base of dataclasses whose fields are hyperparameters, or others of its kind that have some.

    `tunable` names the fields that are positive numbers, one or several, in whose logarithm there is a gradient.
    """

    tunable: ClassVar[tuple[str, ...]] = ()

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Every hyperparameter by name; those of parts as `part__name`."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        if deep:
            parts = {name: value for name, value in own.items() if isinstance(value, Parametric)}
            own |= {f"{name}__{key}": value for name, part in parts.items() for key, value in part.get_params().items()}
        return own

    def with_params(self, **given: object) -> Self:
        """The same with some hyperparameters changed, also of parts, `part__name`."""
        own: dict[str, object] = {}
        inside: dict[str, dict[str, object]] = {}
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        for name, value in given.items():
            head, _, rest = name.partition("__")
            if head not in names or (rest and not isinstance(getattr(self, head), Parametric)):
                known = [key for key in self.get_params() if not rest or "__" in key]
                raise InvalidParameter(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known) or 'none'}"
                    f".{did_you_mean(name, known)}"
                )
            if rest:
                inside.setdefault(head, {})[rest] = value
            else:
                own[head] = value
        changed = replace(self, **own)  # type: ignore[type-var]
        parts = {name: getattr(changed, name).with_params(**some) for name, some in inside.items()}
        return replace(changed, **parts) if parts else changed  # type: ignore[type-var]

    def set_params(self, **given: object) -> Self:
        """Change hyperparameters in place, as scikit-learn's searches do; parts that others share stay as they are."""
        changed = self.with_params(**given)
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, getattr(changed, field.name))
        return self

    def __sklearn_clone__(self) -> Self:
        return copy.deepcopy(self)  # a map inside stays fitted

    # ---- the numbers that gradients are in ----

    def _own_numbers(self) -> Iterator[tuple[str, object]]:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Parametric) or (field.name in self.tunable and value is not None and np.all(value)):
                yield field.name, value

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters that have gradients, (p,); those that are None or 0 have none."""
        found = [
            value.theta if isinstance(value, Parametric) else np.log(np.atleast_1d(np.asarray(value, dtype=np.float64)))
            for _, value in self._own_numbers()
        ]
        return np.concatenate(found) if found else np.empty(0)

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Their names, (p,); of one number a column with its place, `bandwidth[0]`."""
        found: list[str] = []
        for name, value in self._own_numbers():
            if isinstance(value, Parametric):
                found += [f"{name}__{inner}" for inner in value.theta_names]
            else:
                found += [f"{name}[{j}]" for j in range(np.size(value))] if np.ndim(value) else [name]  # type: ignore[arg-type]
        return tuple(found)

    def with_theta(self, theta: Floats) -> Self:
        """The same with other logarithms of these hyperparameters, (p,)."""
        theta, at = np.asarray(theta, dtype=np.float64), 0
        changed: dict[str, object] = {}
        for name, value in self._own_numbers():
            count = len(value.theta) if isinstance(value, Parametric) else int(np.size(value))  # type: ignore[arg-type]
            own = theta[at : at + count]
            if isinstance(value, Parametric):
                changed[name] = value.with_theta(own)
            else:
                numbers = np.exp(own).tolist()
                changed[name] = tuple(numbers) if np.ndim(value) else numbers[0]  # type: ignore[arg-type]
            at += count
        if at != len(theta):
            raise InvalidParameter(f"{type(self).__name__}: theta must have {at} numbers; got {len(theta)}.")
        return replace(self, **changed)  # type: ignore[type-var]
