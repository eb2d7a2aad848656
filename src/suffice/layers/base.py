"""What every layer is: a function of a row with parameters, described so that shapes, sizes and starts follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidParameter
from ..registry import register_member
from ..typing import Floats, Torch
from .starts import Start

Shape = tuple[int, ...]  # of one row: (d,) or, of an image, (height, width, channels)
_MOST = 1 << 31  # numbers in a row: no net has more, and a file may not ask for them


@dataclass(frozen=True)
class Parameter:
    """One array of parameters of a layer: its shape, what goes in and out of a unit, and where it begins.

    Only `decays` ones are shrunk by weight decay. Those without a start begin at `constant`.
    """

    name: str
    shape: Shape
    fan_in: int = 1
    fan_out: int = 1
    start: Start | None = None
    constant: float = 0.0
    decays: bool = False

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=object))

    def begun(self, rng: np.random.Generator) -> Floats:
        """Its first values."""
        if self.start is None:
            return np.full(self.shape, self.constant)
        return self.start.drawn(rng, self)


@dataclass(frozen=True)
class Incoming:
    """What a layer is given: the shape of a row, and the levels of each category column that stands there as a code."""

    shape: Shape
    levels: tuple[int, ...] = ()


class Layer:
    """Base of the layers: frozen dataclasses that carry their data.

    A subclass gives `output`, `parameters` in the order in which PyTorch's module has them, and that `module`.
    """

    members: ClassVar[list[type[Layer]]] = []
    drawn_each_time: ClassVar[bool] = False  # whether training draws random numbers in it

    def __init_subclass__(cls) -> None:
        Layer.members.append(cls)
        register_member(cls, "layer")

    def check_loaded(self) -> None:
        """Raise an error where a layer from a file is none."""
        check = getattr(self, "__post_init__", None)
        if check is not None:
            check()

    def output(self, incoming: Incoming) -> Shape:
        """The shape of a row after it; `InvalidParameter` without the place, where the shape does not fit."""
        raise TypeError(f"{type(self).__name__} does not define output")

    def parameters(self, incoming: Incoming) -> tuple[Parameter, ...]:
        """Its parameters, in order."""
        return ()

    def buffers(self, incoming: Incoming) -> tuple[Parameter, ...]:
        """Numbers that are no parameters and change in training, such as running means."""
        return ()

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        """PyTorch's module of it."""
        raise TypeError(f"{type(self).__name__} does not define module")


def checked_size(size: int) -> int:
    """A number of units that a computer can count."""
    if size > _MOST:
        raise InvalidParameter(f"{size:,} numbers a row are too many; at most {_MOST:,} are possible.")
    return size


def check_whole(member: object, name: str, least: int) -> None:
    """Refuse a field of a layer that is no whole number from `least` on."""
    value = getattr(member, name)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and least <= value < _MOST):
        bounds = f"at least {least}" if not whole or value < least else f"below {_MOST:,}"
        raise InvalidParameter(f"{type(member).__name__}: {name} must be an integer, {bounds}; got {value!r}.")
    object.__setattr__(member, name, int(value))


def check_flag(member: object, name: str) -> None:
    """Refuse a field of a layer that is neither True nor False."""
    value = getattr(member, name)
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{type(member).__name__}: {name} must be True or False; got {value!r}.")
    object.__setattr__(member, name, bool(value))


def needs_image(layer: Layer, shape: Shape) -> None:
    """Refuse rows that are no images."""
    if len(shape) != 3:
        raise InvalidParameter(
            f"{type(layer).__name__} needs images, (height, width, channels); got {shape_words(shape)}. Give X as "
            "(n, height, width) or (n, height, width, channels), or say image_shape."
        )


def needs_vector(layer: Layer, incoming: Incoming) -> int:
    """The length of a row; images are refused, and codes of categories."""
    if len(incoming.shape) != 1:
        raise InvalidParameter(
            f"{type(layer).__name__} needs a vector; got {shape_words(incoming.shape)}. Put Flatten() before it."
        )
    return incoming.shape[0]


def shape_words(shape: Shape) -> str:
    """A shape for people.

    >>> shape_words((8, 8, 1)), shape_words((4,))
    ('8 × 8 × 1', '4')
    """
    return " × ".join(map(str, shape))


def window_output(n: int, kernel: int, stride: int, padding: int) -> int:
    """How many places a window takes along n cells: ⌊(n + 2 p − f) / s⌋ + 1.

    >>> window_output(32, 5, 1, 2), window_output(8, 2, 2, 0), window_output(7, 3, 2, 0)
    (32, 4, 3)
    """
    return (n + 2 * padding - kernel) // stride + 1


def windowed(layer: Layer, shape: Shape, kernel: int, stride: int, padding: int) -> tuple[int, int]:
    """Height and width after a window has passed over an image."""
    if kernel > min(shape[0], shape[1]) + 2 * padding:
        raise InvalidParameter(
            f"{type(layer).__name__} has a window of {kernel} × {kernel}, larger than the image of "
            f"{shape_words(shape)} with a padding of {padding}; take a smaller window, more padding, or fewer layers."
        )
    return window_output(shape[0], kernel, stride, padding), window_output(shape[1], kernel, stride, padding)
