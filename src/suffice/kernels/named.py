"""Kernels by name, at the public edge: a string, an object or a function becomes one function, once."""

from __future__ import annotations

import dataclasses
from typing import cast

from .base import KERNELS, Function, Kernel


def names() -> tuple[str, ...]:
    """Every name that `as_kernel` knows, sorted."""
    return tuple(KERNELS)


def is_function(value: object) -> bool:
    """Whether a value is a function of rows, and no kernel already."""
    return callable(value) and not isinstance(value, type | Kernel)


def as_kernel(value: object, owner: str = "as_kernel", **arguments: object) -> Function:
    """The kernel of a name, with those of the arguments that it has, the kernel it is already, or a function.

    >>> as_kernel("rbf", gamma=2.0, degree=3), as_kernel("linear", gamma=2.0)
    (GaussianKernel(gamma=2.0, bandwidth=None), LinearKernel())
    """
    if is_function(value):
        return cast(Function, value)
    if isinstance(value, str) and value in KERNELS:
        has = [field.name for field in dataclasses.fields(type(KERNELS.make(value)))]  # type: ignore[arg-type]
        arguments = {name: arguments[name] for name in has if name in arguments}
    return KERNELS.member(value, owner, "kernel", ", a function of rows X (n, d) and Y (m, d)", **arguments)
